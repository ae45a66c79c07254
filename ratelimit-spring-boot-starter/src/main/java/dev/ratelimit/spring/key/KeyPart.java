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

    private final @Nullable KeyKind kind;
    private final String text;
    private final String kindAndName;
    private final KeyValue value;
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
        this.text = kind.named ? kind.word() + ":" + name : kind.word();
        // Header names are the same in any case.
        this.kindAndName = kind == KeyKind.HEADER ? text.toLowerCase(Locale.ROOT) : text;
        this.value = caller -> kind.read(caller, name);
        this.hash = hash;
        this.ipv6Prefix = ipv6Prefix;
    }

    /**
     * Makes a part that is an expression.
     *
     * @param expression as it is written; a kind of its own
     * @param value finds its value
     * @param hash shortens long values
     * @param ipv6Prefix how many leading bits of an IPv6 address are one client
     */
    KeyPart(String expression, KeyValue value, SecretHash hash, int ipv6Prefix) {
        this.kind = null;
        this.text = expression;
        this.kindAndName = expression;
        this.value = value;
        this.hash = hash;
        this.ipv6Prefix = ipv6Prefix;
    }

    /** How the part is written. */
    String text() {
        return text;
    }

    /** Who is counted: by this part, or else by address, or else among the unknown. */
    Key.Part resolve(Caller caller) {
        String found = read(value, caller);
        if (found != null) {
            return new Key.Part(kindAndName, isHashed(found) ? hash.of(found) : found);
        }
        String address = kind == KeyKind.IP ? null : read(Caller::address, caller);
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

    private boolean isHashed(String counted) {
        return (kind != null && kind.secret) || counted.length() > LONGEST;
    }

    /** All who may be meant by a value: as it is counted, as it was sent, or as an address. */
    List<Key.Part> named(String said) {
        String trimmed = said.strip();
        Set<Key.Part> named = new LinkedHashSet<>();
        named.add(new Key.Part(kindAndName, trimmed));
        if (isHashed(trimmed)) {
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
        return kind == KeyKind.HEADER && !caller.isBehindTrustedProxy()
                ? null
                : read(value, caller);
    }

    private @Nullable String read(KeyValue from, Caller caller) {
        try {
            String found = from.of(caller);
            if (found == null) {
                return null;
            }
            String trimmed = found.strip();
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
