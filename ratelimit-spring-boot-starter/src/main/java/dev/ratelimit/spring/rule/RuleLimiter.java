package dev.ratelimit.spring.rule;

import dev.ratelimit.Decision;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.StoreUnavailableException;
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
    private final TimeSource timeSource;
    private final boolean enabled;
    private final OnFailure byDefault;
    private volatile Opened opened;

    RuleLimiter(Rule rule, TimeSource timeSource, boolean enabled, OnFailure byDefault) {
        this.rule = rule;
        this.timeSource = timeSource;
        this.enabled = enabled;
        this.byDefault = byDefault;
        this.opened = open(rule.limits());
    }

    private Opened open(KeyedLimits limits) {
        return new Opened(limits, limiter(limits), limiter(limits.standIn()));
    }

    private RateLimiter limiter(KeyedLimits limits) {
        return RateLimiter.of(rule.name(), limits, RuleLimiter::bucketKey, timeSource);
    }

    /** Over the limits that the rule has now, which can be others after a change of the rule. */
    private Opened opened() {
        KeyedLimits current = rule.limits();
        Opened known = opened;
        if (known.limits != current) {
            known = open(current);
            opened = known;
        }
        return known;
    }

    private RateLimiter limiter() {
        return opened().limiter;
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
        try {
            return counted(key, permits, limiter().tryAcquire(key, permits));
        } catch (StoreUnavailableException e) {
            return undecided(key, permits);
        }
    }

    /** Counts a decision, and turns it into what to say. */
    private Decision counted(String key, long permits, Decision decision) {
        boolean goesOn = count(key, decision.allowed());
        return goesOn == decision.allowed() ? decision : admitted(key, permits);
    }

    private Decision undecided(String key, long permits) {
        rule.counters().count(Outcome.STORE_FAILURE);
        return switch (OnFailure.of(rule, byDefault)) {
            case ALLOW -> admitted(key, permits);
            case DENY ->
                    rule.isMode(RuleMode.SHADOW) ? admitted(key, permits) : refused(key, permits);
            case LOCAL -> counted(key, permits, opened().standIn.tryAcquire(key, permits));
        };
    }

    @Override
    public boolean tryAcquire(String key, long permits, long[] out) {
        if (isOff()) {
            return write(tryAcquire(key, permits), true, out);
        }
        try {
            if (!count(key, limiter().tryAcquire(key, permits, out))) {
                return false;
            }
            out[RateLimitStrategy.RETRY_NANOS] = 0;
            return true;
        } catch (StoreUnavailableException e) {
            Decision decision = undecided(key, permits);
            return write(decision, decision.allowed(), out);
        }
    }

    private static boolean write(Decision decision, boolean allowed, long[] out) {
        out[RateLimitStrategy.REMAINING] = decision.remaining();
        out[RateLimitStrategy.RESET] = decision.resetEpochSeconds();
        out[RateLimitStrategy.RETRY_NANOS] = allowed ? 0 : decision.retryAfter().toNanos();
        return allowed;
    }

    @Override
    public boolean acquire(String key, long permits, Duration maxWait) throws InterruptedException {
        if (isOff()) {
            requirePermits(permits);
            return true;
        }
        Duration wait = rule.isMode(RuleMode.SHADOW) ? Duration.ZERO : maxWait;
        try {
            return count(key, limiter().acquire(key, permits, wait));
        } catch (StoreUnavailableException e) {
            if (OnFailure.of(rule, byDefault) != OnFailure.LOCAL) {
                return undecided(key, permits).allowed();
            }
            rule.counters().count(Outcome.STORE_FAILURE);
            return count(key, opened().standIn.acquire(key, permits, wait));
        }
    }

    private static void requirePermits(long permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1: " + permits);
        }
    }

    /** What to say in place of a refusal where a rule only watches, or of no answer. */
    private Decision admitted(String key, long permits) {
        return StoreFailures.admitted(rule.limits(), bucketKey(key), permits).decision();
    }

    private Decision refused(String key, long permits) {
        return StoreFailures.refused(rule.limits(), bucketKey(key), permits).decision();
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
        try {
            return limiter().peek(key);
        } catch (StoreUnavailableException e) {
            return switch (OnFailure.of(rule, byDefault)) {
                case ALLOW -> admitted(key, 1);
                case DENY -> refused(key, 1);
                case LOCAL -> opened().standIn.peek(key);
            };
        }
    }

    /** What the store does not take back stays spent, which is too strict for a while only. */
    @Override
    public void refund(String key, Decision decision) {
        Opened current = opened();
        if (decision.isOf(current.limits.standIn())) {
            current.standIn.refund(key, decision);
            return;
        }
        try {
            current.limiter.refund(key, decision);
        } catch (StoreUnavailableException e) {
            rule.counters().count(Outcome.STORE_FAILURE);
        }
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

    private record Opened(KeyedLimits limits, RateLimiter limiter, RateLimiter standIn) {}
}
