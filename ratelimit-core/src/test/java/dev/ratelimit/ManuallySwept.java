package dev.ratelimit;

import java.util.List;
import java.util.function.Function;

/** A limiter in memory whose idle keys are forgotten only when a test says so. */
public final class ManuallySwept {

    private final InMemoryLimits limits;
    private final RateLimiter limiter;

    public ManuallySwept(TimeSource timeSource, long maxKeys, Limit... limits) {
        this.limits = new InMemoryLimits("test", List.of(limits), maxKeys, timeSource);
        this.limiter = RateLimiter.of("test", this.limits, Function.identity(), timeSource);
    }

    public RateLimiter limiter() {
        return limiter;
    }

    /** What a store would have opened. */
    public KeyedLimits limits() {
        return limits;
    }

    public void sweep() {
        limits.sweep();
    }
}
