package dev.ratelimit.spring.key;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a call can be counted by. */
enum KeyKind {
    IP(false, false),
    USER(false, false),
    GLOBAL(false, false),
    SESSION(false, true),
    HEADER(true, true),
    COOKIE(true, true),
    QUERY(true, true),
    PATH(true, false),
    BEAN(true, false);

    static final List<String> WORDS = Arrays.stream(values()).map(KeyKind::word).toList();

    /** The kinds as they are written, for messages. */
    static final List<String> FORMS =
            Arrays.stream(values())
                    .map(kind -> kind.named ? kind.word() + ":NAME" : kind.word())
                    .toList();

    final boolean named;
    final boolean secret;
    private final String word = name().toLowerCase(Locale.ROOT);

    KeyKind(boolean named, boolean secret) {
        this.named = named;
        this.secret = secret;
    }

    String word() {
        return word;
    }

    /** The value as the client sent it; null if it sent none. */
    @Nullable String read(Caller caller, String name) {
        return switch (this) {
            case IP -> caller.address();
            case USER -> caller.user();
            case GLOBAL -> word;
            case SESSION -> caller.session();
            case HEADER -> caller.header(name);
            case COOKIE -> caller.cookie(name);
            case QUERY -> caller.query(name);
            case PATH -> caller.pathVariable(name);
            case BEAN -> caller.bean(name);
        };
    }
}
