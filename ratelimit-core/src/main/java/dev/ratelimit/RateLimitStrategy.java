package dev.ratelimit;

/**
 * Decides whether a bucket can give some permits now.
 *
 * <p>A strategy is stateless, lock-free, free of allocation and safe for use by many threads: all
 * state stands in the {@link Bucket}, and the time is passed in. It may be a lambda of {@link
 * #check}; the other methods have defaults.
 */
@FunctionalInterface
public interface RateLimitStrategy {

    /** Index in {@code out} of the permits that are left after this decision, never negative. */
    int REMAINING = 0;

    /**
     * Index in {@code out} of the epoch second, rounded up, at which {@link #REMAINING} would grow
     * if nobody spent anything; the current one when the bucket is full.
     */
    int RESET = 1;

    /**
     * Index in {@code out} of the nanoseconds after which this same request would be admitted: 0
     * when it is allowed, -1 when it never can be, since it asks for more than the capacity.
     */
    int RETRY_NANOS = 2;

    /**
     * Asks for permits and spends them if all are there. A refusal changes nothing.
     *
     * @param bucket the state, made by {@link #newBucket} of this strategy
     * @param config the numbers of the limit
     * @param permits how many to spend; 0 asks without spending and is always allowed
     * @param nowNanos nanoseconds since the epoch, as {@link TimeSource#epochNanos()} gives them
     * @param out receives the answer at {@link #REMAINING}, {@link #RESET} and {@link
     *     #RETRY_NANOS}; at least three long
     * @return whether the permits were spent
     */
    boolean check(Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out);

    /**
     * Makes the state for a key that is seen for the first time. A strategy that needs more than
     * two slots returns a subclass of its own; each change that makes the bucket stricter must then
     * still go through a compare-and-set of a slot to a value that it never had, since that is
     * where a store can stop a bucket that it forgets.
     *
     * @param config the numbers of the limit
     * @return a bucket that can give the whole capacity
     */
    default Bucket newBucket(LimitConfig config) {
        return new Bucket();
    }

    /**
     * Tells whether a bucket now equals a new one, so that forgetting it changes no later decision.
     * By default a bucket does when this strategy, asked for 0 permits, says that its whole
     * capacity remains. Override it if your buckets remember more than their remaining permits
     * show.
     *
     * @param bucket the state
     * @param config the numbers of the limit
     * @param nowNanos nanoseconds since the epoch
     * @return true only if no later decision can tell the bucket from a new one
     */
    default boolean isIdle(Bucket bucket, LimitConfig config, long nowNanos) {
        long[] out = new long[3];
        check(bucket, config, 0, nowNanos, out);
        return out[REMAINING] >= config.burst();
    }

    /**
     * Gives back permits that an earlier decision spent. It must never give more than what that
     * charge still takes from others, so an expired charge gives nothing. By default it gives
     * nothing.
     *
     * @param bucket the state
     * @param config the numbers of the limit
     * @param permits how many the decision spent, at least 1
     * @param chargedAtNanos the time at which it spent them, in nanoseconds since the epoch
     * @param nowNanos nanoseconds since the epoch
     */
    default void refund(
            Bucket bucket, LimitConfig config, long permits, long chargedAtNanos, long nowNanos) {}
}
