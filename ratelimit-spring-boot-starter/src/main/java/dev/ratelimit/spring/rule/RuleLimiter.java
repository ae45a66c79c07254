package dev.ratelimit.spring.rule;

import dev.ratelimit.Decision;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.key.Key;
import java.time.Duration;

/**
 * A rule in the hands of the application: its keys are of a kind of their own, and its decisions
 * are counted with the rule's others. When limits are off it looks and never spends, so that it
 * finds every bucket full.
 */
final class RuleLimiter implements RateLimiter {

    private final Rule rule;
    private final RateLimiter limiter;
    private final boolean enabled;

    RuleLimiter(Rule rule, TimeSource timeSource, boolean enabled) {
        this.rule = rule;
        this.limiter =
                RateLimiter.of(rule.name(), rule.limits(), RuleLimiter::bucketKey, timeSource);
        this.enabled = enabled;
    }

    private static Key bucketKey(String key) {
        return Key.of("java", key);
    }

    @Override
    public String name() {
        return limiter.name();
    }

    @Override
    public Decision tryAcquire(String key, long permits) {
        if (!enabled) {
            requirePermits(permits);
            return limiter.peek(key);
        }
        Decision decision = limiter.tryAcquire(key, permits);
        count(key, decision.allowed());
        return decision;
    }

    @Override
    public boolean tryAcquire(String key, long permits, long[] out) {
        if (!enabled) {
            Decision decision = tryAcquire(key, permits);
            out[RateLimitStrategy.REMAINING] = decision.remaining();
            out[RateLimitStrategy.RESET] = decision.resetEpochSeconds();
            out[RateLimitStrategy.RETRY_NANOS] = 0;
            return true;
        }
        return count(key, limiter.tryAcquire(key, permits, out));
    }

    @Override
    public boolean acquire(String key, long permits, Duration maxWait) throws InterruptedException {
        if (!enabled) {
            requirePermits(permits);
            return true;
        }
        return count(key, limiter.acquire(key, permits, maxWait));
    }

    private static void requirePermits(long permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1: " + permits);
        }
    }

    private boolean count(String key, boolean allowed) {
        if (allowed) {
            rule.countAllowed(bucketKey(key));
        } else {
            rule.countRejected(bucketKey(key));
        }
        return allowed;
    }

    @Override
    public Decision peek(String key) {
        return limiter.peek(key);
    }

    @Override
    public void refund(String key, Decision decision) {
        limiter.refund(key, decision);
    }

    @Override
    public void reset(String key) {
        limiter.reset(key);
    }

    @Override
    public long size() {
        return limiter.size();
    }

    /** Does nothing: the limits are the rule's. */
    @Override
    public void close() {}
}
