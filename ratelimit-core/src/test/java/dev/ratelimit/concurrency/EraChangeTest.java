package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Decision;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.ManuallySwept;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The numbers are such that a bucket's word is short of bits for the time, and the clock jumps over
 * as many of its eras as it likes while four threads spend.
 */
class EraChangeTest {

    /** Each with the length of its eras. */
    enum Numbers {
        TOKEN_BUCKET(LimitStrategy.TOKEN_BUCKET, paced(), 1, 1L << 30),
        SLIDING_WINDOW(LimitStrategy.SLIDING_WINDOW, counted(100_000_000), 10_000_000, 128_000_000),
        FIXED_WINDOW(
                LimitStrategy.FIXED_WINDOW,
                counted(1_000_000_000),
                100_000_000,
                2_147_483_648_000_000L);

        private final Limit limit;
        private final long permits;
        private final long eraNanos;

        Numbers(LimitStrategy strategy, LimitConfig config, long permits, long eraNanos) {
            this.limit = new Limit(config, strategy.create());
            this.permits = permits;
            this.eraNanos = eraNanos;
        }

        private static LimitConfig paced() {
            return LimitConfig.of(999_999_937, Duration.ofSeconds(1)).withBurst(10);
        }

        private static LimitConfig counted(long requests) {
            return LimitConfig.of(requests, Duration.ofMillis(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void neverMoreThanTheCapacityIsAdmittedAtOneTime(Numbers numbers) {
        for (int i = 0; i < Stress.times(1, 8); i++) {
            race(numbers, i);
        }
    }

    private static void race(Numbers numbers, long seed) {
        ManualTimeSource time = new ManualTimeSource(Instant.ofEpochSecond(1_000_000_007));
        ManuallySwept swept = new ManuallySwept(time, 1_000, numbers.limit);
        Map<Long, Long> permitsByTime = new HashMap<>();
        AtomicBoolean done = new AtomicBoolean();
        Race.run(
                5,
                thread -> {
                    if (thread == 0) {
                        try {
                            jump(time, numbers.eraNanos, new Random(seed));
                        } finally {
                            done.set(true);
                        }
                        return;
                    }
                    Map<Long, Long> mine = new HashMap<>();
                    while (!done.get()) {
                        Decision decision = swept.limiter().tryAcquire("key", numbers.permits);
                        if (decision.allowed()) {
                            mine.merge(decision.epochNanos(), numbers.permits, Long::sum);
                        }
                    }
                    synchronized (permitsByTime) {
                        mine.forEach((at, sum) -> permitsByTime.merge(at, sum, Long::sum));
                    }
                });
        long capacity = numbers.limit.config().burst();
        // At each jump, each of the other threads may be about to decide by the time before.
        long late = 3 * numbers.permits;
        assertThat(permitsByTime.values()).allMatch(permits -> permits <= capacity + late);
        // Enough jumps find threads that spend, also on a busy machine.
        assertThat(permitsByTime).hasSizeGreaterThan(JUMPS / 20);

        time.advance(Duration.ofNanos(2 * numbers.eraNanos));
        assertThat(swept.limiter().tryAcquire("key", capacity).allowed()).isTrue();
        assertThat(swept.limiter().tryAcquire("key").allowed()).isFalse();
    }

    /** Of the longest eras, hardly more fit into the time that there is. */
    private static final int JUMPS = 300;

    private static void jump(ManualTimeSource time, long eraNanos, Random random)
            throws InterruptedException {
        for (int i = 0; i < JUMPS; i++) {
            Thread.sleep(1);
            // Never nearly a multiple of the eight eras after which times look the same, since a
            // thread that is stopped meanwhile, as the scheduler likes, would be back too soon.
            long eras = 3 + 8 * random.nextInt(3);
            long nanos = eras * eraNanos + random.nextInt((int) Math.min(eraNanos, 1_000_000_000));
            time.advance(Duration.ofNanos(nanos));
        }
    }
}
