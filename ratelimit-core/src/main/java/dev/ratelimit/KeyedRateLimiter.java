package dev.ratelimit;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/** A limiter over the limits that some store has opened. */
final class KeyedRateLimiter implements RateLimiter {

    private final String name;
    private final KeyedLimits limits;
    private final Function<String, ? extends Object> keyOf;
    private final TimeSource timeSource;

    KeyedRateLimiter(
            String name,
            KeyedLimits limits,
            Function<String, ? extends Object> keyOf,
            TimeSource timeSource) {
        this.name = name;
        this.limits = limits;
        this.keyOf = keyOf;
        this.timeSource = timeSource;
    }

    private Object bucketKey(String key) {
        return keyOf.apply(Objects.requireNonNull(key, "key"));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Decision tryAcquire(String key, long permits) {
        requirePermits(permits);
        Charge charge = new Charge(limits, bucketKey(key), permits);
        limits.acquire(charge);
        return charge.decision();
    }

    @Override
    public boolean tryAcquire(String key, long permits, long[] out) {
        requirePermits(permits);
        if (out.length <= RateLimitStrategy.RETRY_NANOS) {
            throw new IllegalArgumentException("out must be at least 3 long: " + out.length);
        }
        return limits.tryAcquire(bucketKey(key), permits, out);
    }

    private static void requirePermits(long permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1: " + permits);
        }
    }

    @Override
    public boolean acquire(String key, long permits, Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long startNanos = timeSource.epochNanos();
        long maxWaitNanos = saturatedNanos(maxWait);
        Decision decision = tryAcquire(key, permits);
        while (!decision.allowed()) {
            long waitNanos = decision.retryNanos();
            // Not the time of the decision, which may be by another machine's clock.
            long nowNanos = timeSource.epochNanos();
            long waitedNanos = nowNanos - startNanos;
            if (waitNanos < 0 || waitNanos > maxWaitNanos - waitedNanos) {
                return false;
            }
            timeSource.sleepUntil(nowNanos + waitNanos);
            decision = tryAcquire(key, permits);
        }
        return true;
    }

    private static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return duration.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    @Override
    public Decision peek(String key) {
        Charge charge = new Charge(limits, bucketKey(key), 1);
        limits.peek(charge);
        return charge.peeked();
    }

    @Override
    public void refund(String key, Decision decision) {
        Charge charge = decision.charge();
        if (charge == null || !decision.allowed()) {
            return;
        }
        if (charge.limits() != limits || !charge.key().equals(bucketKey(key))) {
            throw new IllegalArgumentException(
                    "'" + name + "' did not make this decision for '" + key + "': " + decision);
        }
        limits.refund(charge);
    }

    @Override
    public void reset(String key) {
        limits.reset(bucketKey(key));
    }

    @Override
    public long size() {
        return limits.size();
    }

    @Override
    public void close() {
        limits.close();
    }
}
