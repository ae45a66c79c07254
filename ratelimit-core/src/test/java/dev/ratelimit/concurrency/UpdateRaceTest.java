package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A limit is changed while threads spend from a key of its own and from one that shares a bucket.
 */
class UpdateRaceTest {

    private static final int FEW = 10;
    private static final int MANY = 40;
    private static final long NOW_NANOS = Duration.ofDays(20_000).toNanos();

    @ParameterizedTest
    @EnumSource
    void raisingALimitStepByStepGivesNoMoreThanTheHighest(LimitStrategy strategy) {
        repeat(strategy, FEW, MANY, 1);
    }

    @ParameterizedTest
    @EnumSource
    void loweringALimitStepByStepGivesNoMoreThanTheHighest(LimitStrategy strategy) {
        repeat(strategy, MANY, FEW, -1);
    }

    private static void repeat(LimitStrategy strategy, int from, int to, int step) {
        for (int i = 0; i < Stress.times(20, 400); i++) {
            race(strategy, from, to, step);
        }
    }

    private static void race(LimitStrategy strategy, int from, int to, int step) {
        ManuallySwept swept =
                new ManuallySwept(() -> NOW_NANOS, 1, new Limit(config(from), strategy.create()));
        RateLimiter limiter = swept.limiter();
        limiter.tryAcquire("own");
        AtomicInteger own = new AtomicInteger(1);
        AtomicInteger shared = new AtomicInteger();
        Race.run(
                5,
                thread -> {
                    if (thread == 0) {
                        for (int requests = from; requests != to; requests += step) {
                            swept.limits().update(config(requests + step));
                            Thread.onSpinWait();
                        }
                        return;
                    }
                    for (int i = 0; i < 2 * MANY; i++) {
                        spend(limiter, "own", own);
                        spend(limiter, "shared", shared);
                    }
                });
        assertThat(own.get()).isBetween(Math.min(from, to), MANY);
        assertThat(shared.get()).isBetween(Math.min(from, to), MANY);
        if (to == MANY) {
            // Whoever came too early for the last step gets the rest of it now, and nothing more.
            while (limiter.tryAcquire("own").allowed()) {
                own.incrementAndGet();
            }
            assertThat(own.get()).isEqualTo(MANY);
        }
        assertThat(limiter.peek("own").limit()).isEqualTo(to);
        assertThat(limiter.size()).isEqualTo(1);
    }

    /** Another thread is about to spend from the bucket when the limit is changed. */
    @Test
    void whoeverHasFoundTheEarlierBucketSpendsFromTheNewOne() {
        RateLimitStrategy strategy = LimitStrategy.FIXED_WINDOW.create();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Limit limit =
                new Limit(
                        config(FEW),
                        (bucket, config, permits, nowNanos, out) -> {
                            meanwhile.getAndSet(() -> {}).run();
                            return strategy.check(bucket, config, permits, nowNanos, out);
                        });
        ManuallySwept swept = new ManuallySwept(() -> NOW_NANOS, 1, limit);
        RateLimiter limiter = swept.limiter();
        limiter.tryAcquire("key", 2);
        meanwhile.set(
                () -> {
                    swept.limits().update(config(MANY));
                    limiter.tryAcquire("key", 3);
                });
        limiter.tryAcquire("key", 4);
        assertThat(limiter.peek("key").remaining()).isEqualTo(MANY - 2 - 3 - 4);
    }

    private static void spend(RateLimiter limiter, String key, AtomicInteger admitted) {
        if (limiter.tryAcquire(key).allowed()) {
            admitted.incrementAndGet();
        }
    }

    private static LimitConfig config(int requests) {
        return LimitConfig.of(requests, Duration.ofHours(1));
    }
}
