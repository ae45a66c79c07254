package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key expires and is forgotten all the time while 64 threads ask for it: C32. */
class ShortWindowTest {

    @ParameterizedTest
    @EnumSource
    void aKeyThatExpiresMeanwhileIsNoError(LimitStrategy strategy) {
        Duration window = Duration.ofMillis(1);
        TimeSource timeSource = TimeSource.system();
        Limit limit = new Limit(LimitConfig.of(10, window), strategy.create());
        ManuallySwept swept = new ManuallySwept(timeSource, 1_000, limit);
        LongAdder admitted = new LongAdder();
        long startNanos = timeSource.epochNanos();
        long endNanos = startNanos + Duration.ofMillis(Stress.times(400, 5_000)).toNanos();
        try (Race.Background sweeping = new Race.Background(swept::sweep)) {
            Race.run(
                    64,
                    thread -> {
                        long[] out = new long[3];
                        // Longer on a machine that is too busy to admit anybody so soon.
                        while (timeSource.epochNanos() < endNanos || admitted.sum() < 10) {
                            if (swept.limiter().tryAcquire("key", 1, out)) {
                                admitted.increment();
                            }
                        }
                    });
        }
        long windows = (timeSource.epochNanos() - startNanos) / window.toNanos() + 1;
        assertThat(admitted.sum()).isBetween(10L, 10 * (windows + 1));
    }
}
