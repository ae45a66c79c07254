package dev.ratelimit;

import java.util.List;

/**
 * All limits of one rule, with a bucket of each for every key. Keys are equal by {@link
 * Object#equals}; a store outside this process goes by their {@link Object#toString}.
 */
public interface KeyedLimits extends AutoCloseable {

    /**
     * Returns the limits.
     *
     * @return at least one, in the order in which they were declared
     */
    List<Limit> limits();

    /**
     * Spends permits for a key under all limits, or under none.
     *
     * @param key who is counted
     * @param permits how many, at least 1
     * @param out receives what the deciding limit answers, as in {@link RateLimitStrategy#check}
     * @return whether the permits were spent
     */
    boolean tryAcquire(Object key, long permits, long[] out);

    /**
     * Does the same for a charge, which receives what each limit answers.
     *
     * @param charge the demand
     * @return whether the permits were spent
     */
    boolean acquire(Charge charge);

    /**
     * Answers what a demand for one permit would be told now, and spends nothing.
     *
     * @param charge the demand, which receives the answer
     */
    void peek(Charge charge);

    /**
     * Gives back what is left of a charge that was allowed. The second time for one charge is the
     * caller's mistake.
     *
     * @param charge what was spent
     */
    void refund(Charge charge);

    /**
     * Makes a key's buckets new.
     *
     * @param key who is counted
     */
    void reset(Object key);

    /**
     * Returns for how many keys there are buckets.
     *
     * @return the number, not exact while it changes; 0 of a store outside this process
     */
    long size();

    /**
     * Returns for how many keys there can be buckets; more keys share some.
     *
     * @return at least 1
     */
    long maxKeys();

    /**
     * Returns how many decisions were made on shared buckets.
     *
     * @return a count that only grows
     */
    long overflows();

    /**
     * Changes the only limit. What a key has spent stays spent.
     *
     * @param config the new numbers
     * @throws IllegalStateException if there are several limits
     * @throws IllegalArgumentException if the limit's strategy cannot work with these numbers
     */
    void update(LimitConfig config);

    /**
     * Returns the limits to go by while the store does not answer. They have the same numbers, and
     * buckets of their own.
     *
     * @return limits within this process; these themselves by default
     */
    default KeyedLimits standIn() {
        return this;
    }

    /** Ends the work in the background. */
    @Override
    void close();
}
