package dev.ratelimit;

import java.util.List;

/** Where buckets live. Safe for use by many threads. */
public interface RateLimitStore extends AutoCloseable {

    /**
     * Returns what this store is called.
     *
     * @return for example {@code in-memory}
     */
    String name();

    /**
     * Opens the buckets of a rule. They are not those of any other rule.
     *
     * @param rule the rule's name
     * @param limits its limits, at least one
     * @param maxKeys for how many keys there can be buckets, at least 1
     * @return the rule's limits, to be closed
     */
    KeyedLimits open(String rule, List<Limit> limits, long maxKeys);

    /**
     * Meets all demands, or none of them. Each receives its answer.
     *
     * @param charges demands on limits that this store has opened, of different rules; at least one
     * @return whether everything was spent
     */
    boolean acquire(List<Charge> charges);

    /** Releases what this store holds. */
    @Override
    void close();
}
