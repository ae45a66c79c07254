package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.Decision;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.key.Key;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A rule in the hands of the application: its keys are of a kind of their own, and its decisions
 * are counted with the rule's others. When limits are off it looks and never spends, so that it
 * finds every bucket full.
 */
final class RuleLimiter implements RateLimiter {

    private final Rule rule;
    private final RateLimiter limiter;
    private final TimeSource timeSource;
    private final boolean off;
    private final boolean shadow;

    RuleLimiter(Rule rule, TimeSource timeSource, boolean enabled) {
        this.rule = rule;
        this.limiter =
                RateLimiter.of(rule.name(), rule.limits(), RuleLimiter::bucketKey, timeSource);
        this.timeSource = timeSource;
        this.off = !enabled || rule.isMode(RuleMode.OFF);
        this.shadow = rule.isMode(RuleMode.SHADOW);
    }

    static Key bucketKey(String key) {
        return Key.of("java", key);
    }

    @Override
    public String name() {
        return limiter.name();
    }

    @Override
    public Decision tryAcquire(String key, long permits) {
        if (off) {
            requirePermits(permits);
            return limiter.peek(key);
        }
        Decision decision = limiter.tryAcquire(key, permits);
        boolean goesOn = count(key, decision.allowed());
        return goesOn == decision.allowed() ? decision : admitted(key, permits);
    }

    @Override
    public boolean tryAcquire(String key, long permits, long[] out) {
        if (off) {
            Decision decision = tryAcquire(key, permits);
            out[RateLimitStrategy.REMAINING] = decision.remaining();
            out[RateLimitStrategy.RESET] = decision.resetEpochSeconds();
            out[RateLimitStrategy.RETRY_NANOS] = 0;
            return true;
        }
        if (!count(key, limiter.tryAcquire(key, permits, out))) {
            return false;
        }
        out[RateLimitStrategy.RETRY_NANOS] = 0;
        return true;
    }

    @Override
    public boolean acquire(String key, long permits, Duration maxWait) throws InterruptedException {
        if (off) {
            requirePermits(permits);
            return true;
        }
        Duration wait = shadow ? Duration.ZERO : maxWait;
        return count(key, limiter.acquire(key, permits, wait));
    }

    private static void requirePermits(long permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1: " + permits);
        }
    }

    /** What to say in place of a refusal where a rule only watches: nothing was spent. */
    private Decision admitted(String key, long permits) {
        Charge charge = new Charge(rule.limits(), bucketKey(key), permits);
        long nowNanos = timeSource.epochNanos();
        for (int i = 0; i < charge.configured().size(); i++) {
            charge.answer(i, 0, 0, 0, TimeUnit.NANOSECONDS.toSeconds(nowNanos) + 1);
        }
        charge.answered(nowNanos);
        return charge.decision();
    }

    /** Counts a decision, and tells whether the caller may go on. */
    private boolean count(String key, boolean allowed) {
        if (allowed) {
            rule.countAllowed(bucketKey(key));
        } else {
            rule.countRejected(bucketKey(key));
        }
        return allowed || shadow;
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
