package dev.ratelimit;

/** One bucket under one limit, asked directly and without a store. */
final class SingleKey {

    /** The start of an hour and of a day: 2026-01-01T00:00:00Z. */
    static final long START_NANOS = 1_767_225_600_000_000_000L;

    final LimitConfig config;
    final long[] out = new long[BuiltInStrategy.GROWTH_NANOS + 1];
    private final RateLimitStrategy strategy;
    private Bucket bucket;

    SingleKey(LimitStrategy strategy, LimitConfig config) {
        this.strategy = strategy.create();
        this.config = config;
        renew();
    }

    void renew() {
        bucket = strategy.newBucket(config);
    }

    boolean check(long permits, long nowNanos) {
        return strategy.check(bucket, config, permits, nowNanos, out);
    }

    long remaining(long nowNanos) {
        check(0, nowNanos);
        return out[RateLimitStrategy.REMAINING];
    }

    long growthNanos(long nowNanos) {
        check(0, nowNanos);
        return out[BuiltInStrategy.GROWTH_NANOS];
    }

    long retryNanos() {
        return out[RateLimitStrategy.RETRY_NANOS];
    }

    void refund(long permits, long chargedAtNanos, long nowNanos) {
        strategy.refund(bucket, config, permits, chargedAtNanos, nowNanos);
    }

    boolean isIdle(long nowNanos) {
        return strategy.isIdle(bucket, config, nowNanos);
    }

    long[] slots() {
        return new long[] {bucket.slot0(), bucket.slot1()};
    }
}
