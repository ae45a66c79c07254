package dev.ratelimit;

/** What the strategies of this package can do beyond the contract. */
interface BuiltInStrategy extends RateLimitStrategy {

    /**
     * Index in a longer {@code out} of the nanoseconds until {@link #REMAINING} would grow; 0 when
     * the bucket is full.
     */
    int GROWTH_NANOS = 3;

    /**
     * Refuses numbers that this strategy cannot work with.
     *
     * @throws IllegalArgumentException if it cannot
     */
    void validate(LimitConfig config);

    /**
     * Makes a bucket for other numbers from which the same has been spent, or its whole capacity if
     * that is less.
     *
     * @param bucket in use by no one else
     */
    Bucket convert(Bucket bucket, LimitConfig from, LimitConfig to, long nowNanos);

    /** Writes an answer into {@code out}, and its growth where there is room. */
    static void answer(
            long[] out, long remaining, long growthNanos, long retryNanos, long nowNanos) {
        out[REMAINING] = remaining;
        out[RESET] = Seconds.ceil(nowNanos, growthNanos);
        out[RETRY_NANOS] = retryNanos;
        if (out.length > GROWTH_NANOS) {
            out[GROWTH_NANOS] = growthNanos;
        }
    }

    /** Refuses a burst, which only the token bucket has. */
    static void requireNoBurst(String strategy, LimitConfig config) {
        if (config.burstSet()) {
            throw new IllegalArgumentException(
                    "burst is for TOKEN_BUCKET only, " + strategy + " has none: " + config);
        }
    }
}
