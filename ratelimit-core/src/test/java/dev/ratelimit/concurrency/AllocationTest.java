package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimiter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A decision that is asked for with an array allocates nothing. */
class AllocationTest {

    private static final int DECISIONS = 10_000;
    private static final Duration WINDOW = Duration.ofHours(1);

    static Stream<Arguments> decisions() {
        List<Arguments> all = new ArrayList<>();
        for (LimitStrategy strategy : LimitStrategy.values()) {
            for (int limits = 1; limits <= 2; limits++) {
                // The clock moves on, so that permits come back as they are spent.
                all.add(Arguments.of(strategy, limits, true));
                all.add(Arguments.of(strategy, limits, false));
            }
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0}, limits: {1}, allowed: {2}")
    @MethodSource("decisions")
    void aDecisionAllocatesNothing(LimitStrategy strategy, int limits, boolean allowed) {
        assumeTrue(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean);
        long[] now = {Duration.ofDays(20_000).toNanos()};
        RateLimiter.Builder builder =
                RateLimiter.builder("allocation")
                        .timeSource(() -> now[0])
                        .limit(LimitConfig.of(5, WINDOW), strategy.create());
        if (limits == 2) {
            builder.limit(LimitConfig.of(6, WINDOW), LimitStrategy.TOKEN_BUCKET.create());
        }
        try (RateLimiter limiter = builder.build()) {
            long[] out = new long[3];
            while (limiter.tryAcquire("key", 1, out)) {
                // Until nothing is left.
            }
            long stepNanos = allowed ? 2 * WINDOW.toNanos() : 0;
            long bytes = Long.MAX_VALUE;
            // The first rounds warm up; the compiler may be at work in any of them.
            for (int round = 0; round < 50 && bytes > 0; round++) {
                bytes = allocatedBytes(limiter, now, stepNanos, out, allowed);
            }
            assertThat(bytes).isZero();
        }
    }

    private static long allocatedBytes(
            RateLimiter limiter, long[] now, long stepNanos, long[] out, boolean allowed) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        int unexpected = 0;
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < DECISIONS; i++) {
            now[0] += stepNanos;
            if (limiter.tryAcquire("key", 1, out) != allowed) {
                unexpected++;
            }
        }
        long after = threads.getThreadAllocatedBytes(thread);
        assertThat(unexpected).isZero();
        return after - before;
    }
}
