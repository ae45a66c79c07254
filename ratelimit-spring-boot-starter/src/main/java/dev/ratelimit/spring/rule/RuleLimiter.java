package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.Decision;
import dev.ratelimit.KeyedLimits;
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
    private final TimeSource timeSource;
    private final boolean enabled;
    private volatile Opened opened;

    RuleLimiter(Rule rule, TimeSource timeSource, boolean enabled) {
        this.rule = rule;
        this.timeSource = timeSource;
        this.enabled = enabled;
        this.opened = open(rule.limits());
    }

    private Opened open(KeyedLimits limits) {
        return new Opened(
                limits, RateLimiter.of(rule.name(), limits, RuleLimiter::bucketKey, timeSource));
    }

    /** Over the limits that the rule has now, which can be others after a change of the rule. */
    private RateLimiter limiter() {
        KeyedLimits current = rule.limits();
        Opened known = opened;
        if (known.limits != current) {
            known = open(current);
            opened = known;
        }
        return known.limiter;
    }

    private boolean isOff() {
        return !enabled || rule.isMode(RuleMode.OFF);
    }

    static Key bucketKey(String key) {
        return Key.of("java", key);
    }

    @Override
    public String name() {
        return rule.name();
    }

    @Override
    public Decision tryAcquire(String key, long permits) {
        if (isOff()) {
            requirePermits(permits);
            return limiter().peek(key);
        }
        Decision decision = limiter().tryAcquire(key, permits);
        boolean goesOn = count(key, decision.allowed());
        return goesOn == decision.allowed() ? decision : admitted(key, permits);
    }

    @Override
    public boolean tryAcquire(String key, long permits, long[] out) {
        if (isOff()) {
            Decision decision = tryAcquire(key, permits);
            out[RateLimitStrategy.REMAINING] = decision.remaining();
            out[RateLimitStrategy.RESET] = decision.resetEpochSeconds();
            out[RateLimitStrategy.RETRY_NANOS] = 0;
            return true;
        }
        if (!count(key, limiter().tryAcquire(key, permits, out))) {
            return false;
        }
        out[RateLimitStrategy.RETRY_NANOS] = 0;
        return true;
    }

    @Override
    public boolean acquire(String key, long permits, Duration maxWait) throws InterruptedException {
        if (isOff()) {
            requirePermits(permits);
            return true;
        }
        Duration wait = rule.isMode(RuleMode.SHADOW) ? Duration.ZERO : maxWait;
        return count(key, limiter().acquire(key, permits, wait));
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
        return allowed || rule.isMode(RuleMode.SHADOW);
    }

    @Override
    public Decision peek(String key) {
        return limiter().peek(key);
    }

    @Override
    public void refund(String key, Decision decision) {
        limiter().refund(key, decision);
    }

    @Override
    public void reset(String key) {
        limiter().reset(key);
    }

    @Override
    public long size() {
        return limiter().size();
    }

    /** Does nothing: the limits are the rule's. */
    @Override
    public void close() {}

    private record Opened(KeyedLimits limits, RateLimiter limiter) {}
}
