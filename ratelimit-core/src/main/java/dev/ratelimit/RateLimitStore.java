package dev.ratelimit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where buckets live. Safe for use by many threads. */
public interface RateLimitStore extends AutoCloseable {

    /**
     * Returns what this store is called.
     *
     * @return for example {@code in-memory}
     */
    String name();

    /**
     * Tells how the store is.
     *
     * @return {@code available} or {@code unavailable}; null of one that is always there
     */
    default @Nullable String state() {
        return null;
    }

    /**
     * Refuses a limit that this store cannot count by.
     *
     * @param limit the limit
     * @throws IllegalArgumentException if it cannot, with a message that says why
     */
    default void check(Limit limit) {}

    /**
     * Returns the store to go by while this one does not answer. It knows the {@link
     * KeyedLimits#standIn} of limits that this one has opened.
     *
     * @return a store within this process; this one by default
     */
    default RateLimitStore standIn() {
        return this;
    }

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
     * @throws StoreUnavailableException if the store did not answer all of them; where one of those
     *     that are {@link Charge#isAnswered() answered} refuses, the others have not spent either
     */
    boolean acquire(List<Charge> charges);

    /** Releases what this store holds. */
    @Override
    void close();
}
