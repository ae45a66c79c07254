package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Idle keys are forgotten in the background, without any traffic: C37, C50. */
class SweeperTest {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ManualTimeSource time = new ManualTimeSource(Instant.ofEpochSecond(1_000_000));

    private InMemoryLimits swept(RateLimitStrategy strategy) {
        Limit limit = new Limit(LimitConfig.of(5, Duration.ofSeconds(1)), strategy);
        InMemoryLimits limits = new InMemoryLimits("test", List.of(limit), 2_000_000, time);
        Sweeper.add(limits, PERIOD_NANOS);
        return limits;
    }

    private static void waitUntil(BooleanSupplier condition) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(20));
            Thread.sleep(1);
        }
    }

    @Test
    void aMillionIdleKeysAreForgottenWithoutTraffic() throws InterruptedException {
        try (InMemoryLimits limits = swept(LimitStrategy.TOKEN_BUCKET.create())) {
            long[] out = new long[3];
            for (int key = 0; key < 1_000_000; key++) {
                limits.tryAcquire(key, 1, out);
            }
            assertThat(limits.size()).isEqualTo(1_000_000);
            time.advance(Duration.ofSeconds(10));
            waitUntil(() -> limits.size() == 0);
        }
    }

    @Test
    void aKeyThatIsNotIdleStays() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        RateLimitStrategy counting = watched(looks, () -> {});
        try (InMemoryLimits limits = swept(counting)) {
            limits.tryAcquire("key", 1, new long[3]);
            waitUntil(() -> looks.get() > 3);
            assertThat(limits.size()).isEqualTo(1);
        }
    }

    @Test
    void aStrategyThatThrowsDoesNotEndTheWork() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        RateLimitStrategy throwing =
                watched(
                        looks,
                        () -> {
                            if (looks.get() == 1) {
                                throw new IllegalStateException("only the first time");
                            }
                            if (looks.get() == 2) {
                                throw new StackOverflowError("only the second time");
                            }
                        });
        try (InMemoryLimits limits = swept(throwing)) {
            limits.tryAcquire("key", 1, new long[3]);
            time.advance(Duration.ofSeconds(10));
            waitUntil(() -> limits.size() == 0);
        }
    }

    @Test
    void closingALimiterEndsItsWork() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        InMemoryLimits limits = swept(watched(looks, () -> {}));
        limits.tryAcquire("key", 1, new long[3]);
        waitUntil(() -> looks.get() > 0);
        limits.close();
        Thread.sleep(20);
        int before = looks.get();
        Thread.sleep(20);
        assertThat(looks.get()).isEqualTo(before);
    }

    @Test
    void idleKeysAreLookedForEveryFewSeconds() {
        assertThat(Sweeper.PERIOD_NANOS).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(5));
    }

    /** A token bucket that counts how often it is asked whether it is idle. */
    private static RateLimitStrategy watched(AtomicInteger looks, Runnable look) {
        RateLimitStrategy strategy = LimitStrategy.TOKEN_BUCKET.create();
        return new RateLimitStrategy() {
            @Override
            public boolean check(
                    Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
                return strategy.check(bucket, config, permits, nowNanos, out);
            }

            @Override
            public boolean isIdle(Bucket bucket, LimitConfig config, long nowNanos) {
                looks.incrementAndGet();
                look.run();
                return strategy.isIdle(bucket, config, nowNanos);
            }
        };
    }
}
