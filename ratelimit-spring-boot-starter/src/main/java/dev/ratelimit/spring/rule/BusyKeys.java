package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.key.Key;
import java.util.List;

/** The busiest keys of a rule, in bounded memory. */
public final class BusyKeys {

    void countAllowed(Key key) {}

    void countRejected(Key key) {}

    /** A key and how often it was decided for, approximately. */
    public record BusyKey(Key key, long allowed, long rejected) {}

    /** The busiest keys, the busiest first. */
    public List<BusyKey> busiest(int count) {
        return List.of();
    }
}
