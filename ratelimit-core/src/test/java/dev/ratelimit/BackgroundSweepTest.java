package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The one test of the core that lets real time pass, since the background has no other. */
@Tag("real-time")
class BackgroundSweepTest {

    private static RateLimiter limiter(RateLimitStrategy strategy) {
        return RateLimiter.builder("swept")
                .limit(LimitConfig.of(5, Duration.ofMillis(1)), strategy)
                .build();
    }

    // C37, C50
    @Test
    @Timeout(30)
    void idle_keys_are_forgotten_without_traffic_until_the_limiter_is_closed() throws Exception {
        RateLimitStrategy fixedWindow = LimitStrategy.FIXED_WINDOW.create();
        RateLimiter closed = limiter(fixedWindow);
        RateLimiter poisoned = limiter(new CustomStrategyTest.Poisoned());
        RateLimiter swept = limiter(fixedWindow);
        poisoned.tryAcquire("poison", 2);
        for (RateLimiter limiter : List.of(closed, poisoned, swept)) {
            limiter.tryAcquire("key");
        }
        closed.close();

        try (CapturedWarnings warnings = new CapturedWarnings(InMemoryLimits.class)) {
            awaitSize(swept, 0);
            awaitSize(poisoned, 1);
            // It is swept again, though one of its buckets throws each time.
            poisoned.tryAcquire("key");
            awaitSize(poisoned, 1);
            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(closed.size()).isEqualTo(1);
        swept.close();
        poisoned.close();
    }

    private static void awaitSize(RateLimiter limiter, long size) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (limiter.size() != size) {
            assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(12));
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
