package dev.ratelimit.spring.key;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** One part of a rule's key. It has a value for every call, and reading it never fails. */
final class KeyPart {

    private static final Log LOGGER = LogFactory.getLog(KeyPart.class);

    /** A client could fill the memory with longer ones. */
    private static final int LONGEST = 128;

    private static final Key.Part UNKNOWN = new Key.Part("unknown", "unknown");

    private final KeyKind kind;
    private final String name;
    private final String text;
    private final String kindAndName;
    private final SecretHash hash;
    private final int ipv6Prefix;
    private final AtomicBoolean failed = new AtomicBoolean();
    private final AtomicBoolean unknown = new AtomicBoolean();

    /**
     * Makes a part.
     *
     * @param kind where its value is found
     * @param name under which name; empty for kinds without one
     * @param hash makes secret values unreadable
     * @param ipv6Prefix how many leading bits of an IPv6 address are one client
     */
    KeyPart(KeyKind kind, String name, SecretHash hash, int ipv6Prefix) {
        this.kind = kind;
        this.name = name;
        this.text = kind.named ? kind.word() + ":" + name : kind.word();
        // Header names are the same in any case.
        this.kindAndName = kind == KeyKind.HEADER ? text.toLowerCase(Locale.ROOT) : text;
        this.hash = hash;
        this.ipv6Prefix = ipv6Prefix;
    }

    /** How the part is written. */
    String text() {
        return text;
    }

    /** Who is counted: by this part, or else by address, or else among the unknown. */
    Key.Part resolve(Caller caller) {
        String value = read(kind, caller);
        if (value != null) {
            boolean hashed = kind.secret || value.length() > LONGEST;
            return new Key.Part(kindAndName, hashed ? hash.of(value) : value);
        }
        String address = kind == KeyKind.IP ? null : read(KeyKind.IP, caller);
        if (address != null) {
            return new Key.Part(KeyKind.IP.word(), address);
        }
        if (unknown.compareAndSet(false, true)) {
            LOGGER.warn(
                    "RL-UNKNOWN-CLIENT: A call has no value for the rate limit key '"
                            + text
                            + "' and no client address; all such calls are counted together as"
                            + " 'unknown'. This is logged once.");
        }
        return UNKNOWN;
    }

    /** All who may be meant by a value: as it is counted, as it was sent, or as an address. */
    List<Key.Part> named(String value) {
        String trimmed = value.strip();
        Set<Key.Part> named = new LinkedHashSet<>();
        named.add(new Key.Part(kindAndName, trimmed));
        if (kind.secret || trimmed.length() > LONGEST) {
            named.add(new Key.Part(kindAndName, hash.of(trimmed)));
        }
        named.add(new Key.Part(KeyKind.IP.word(), trimmed));
        IpAddress address = IpAddress.parse(trimmed);
        if (address != null) {
            named.add(new Key.Part(KeyKind.IP.word(), address.network(ipv6Prefix)));
        }
        if (trimmed.equals(UNKNOWN.value())) {
            named.add(UNKNOWN);
        }
        return List.copyOf(named);
    }

    /** Whether clients cannot choose the value as they like. */
    boolean canTellPlan() {
        return kind == KeyKind.BEAN || kind == KeyKind.USER || kind == KeyKind.HEADER;
    }

    /** The value, as it is; null if there is none. A header field must be a trusted proxy's. */
    @Nullable String planOf(Caller caller) {
        return kind == KeyKind.HEADER && !caller.isBehindTrustedProxy() ? null : read(kind, caller);
    }

    private @Nullable String read(KeyKind of, Caller caller) {
        try {
            String value = of.read(caller, name);
            if (value == null) {
                return null;
            }
            String trimmed = value.strip();
            return trimmed.isEmpty() ? null : trimmed;
        } catch (RuntimeException e) {
            if (failed.compareAndSet(false, true)) {
                LOGGER.warn(
                        "RL-UNREADABLE-KEY: The rate limit key '"
                                + text
                                + "' could not be read, and is taken as missing. This is logged"
                                + " once.",
                        e);
            }
            return null;
        }
    }
}
