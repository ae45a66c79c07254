package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key is reset while threads spend from it: C152. */
class ResetRaceTest {

    private static final int REQUESTS = 10;
    private static final long NOW_NANOS = Duration.ofDays(20_000).toNanos();

    @ParameterizedTest
    @EnumSource
    void eachResetGivesTheWholeLimitOnceMore(LimitStrategy strategy) {
        int resets = Stress.times(50, 1_000);
        AtomicInteger admitted = new AtomicInteger();
        try (RateLimiter limiter =
                RateLimiter.builder("reset")
                        .limit(REQUESTS, 1, TimeUnit.HOURS, strategy)
                        .limit(REQUESTS + 1, 1, TimeUnit.DAYS)
                        .timeSource(() -> NOW_NANOS)
                        .build()) {
            raceAgainstResets(limiter, resets, admitted);
            assertThat(admitted.get()).isLessThanOrEqualTo(REQUESTS * (resets + 1));
            assertThat(limiter.size()).isLessThanOrEqualTo(1);

            limiter.reset("key");
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(limiter.tryAcquire("key").allowed()).isTrue();
            }
            assertThat(limiter.tryAcquire("key").allowed()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSingleLimitIsResetInOneStep(LimitStrategy strategy) {
        int resets = Stress.times(50, 1_000);
        AtomicInteger admitted = new AtomicInteger();
        try (RateLimiter limiter =
                RateLimiter.builder("reset")
                        .limit(REQUESTS, 1, TimeUnit.HOURS, strategy)
                        .timeSource(() -> NOW_NANOS)
                        .build()) {
            raceAgainstResets(limiter, resets, admitted);
            // Threads went on after the last reset until nothing was left.
            assertThat(limiter.peek("key").remaining()).isZero();
            assertThat(admitted.get()).isBetween(REQUESTS + 1, REQUESTS * (resets + 1));
        }
    }

    private static void raceAgainstResets(RateLimiter limiter, int resets, AtomicInteger admitted) {
        AtomicInteger done = new AtomicInteger();
        Race.run(
                33,
                thread -> {
                    if (thread == 0) {
                        for (int i = 0; i < resets; i++) {
                            limiter.reset("key");
                            Thread.sleep(1);
                        }
                        done.set(1);
                        return;
                    }
                    boolean allowed = true;
                    while (allowed || done.get() == 0) {
                        allowed = limiter.tryAcquire("key").allowed();
                        if (allowed) {
                            admitted.incrementAndGet();
                        }
                    }
                });
    }
}
