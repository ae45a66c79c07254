package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads ask for one key at once while the clock stands still: C30, C31, C38, C39. */
class FreshKeyTest {

    private static final int THREADS = 64;
    private static final long NOW_NANOS = Duration.ofDays(20_000).toNanos();

    private static RateLimiter limiter(long requests, LimitStrategy strategy) {
        return RateLimiter.builder("fresh")
                .limit(requests, 1, TimeUnit.HOURS, strategy)
                .timeSource(() -> NOW_NANOS)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void manyThreadsOnAFreshKeyGetExactlyTheLimit(LimitStrategy strategy) {
        try (RateLimiter limiter = limiter(10, strategy)) {
            raceForEachKey(limiter, 0, 10, Stress.times(100, 500));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenNineOfTenAreSpentManyThreadsGetExactlyOneMore(LimitStrategy strategy) {
        try (RateLimiter limiter = limiter(10, strategy)) {
            raceForEachKey(limiter, 9, 1, Stress.times(50, 500));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aColdKeyNeverHasTwoBuckets(LimitStrategy strategy) {
        try (RateLimiter limiter = limiter(1, strategy)) {
            raceForEachKey(limiter, 0, 1, Stress.times(100, 1_000));
        }
    }

    private static void raceForEachKey(RateLimiter limiter, int spent, int admitted, int keys) {
        AtomicInteger allowed = new AtomicInteger();
        Race.rounds(
                THREADS,
                keys,
                new Race.Round() {
                    private volatile String key;

                    @Override
                    public void begin(int round) {
                        key = "key-" + round;
                        for (int i = 0; i < spent; i++) {
                            assertThat(limiter.tryAcquire(key).allowed()).isTrue();
                        }
                    }

                    @Override
                    public void run(int thread) {
                        if (limiter.tryAcquire(key).allowed()) {
                            allowed.incrementAndGet();
                        }
                    }

                    @Override
                    public void end(int round) {
                        assertThat(allowed.getAndSet(0)).as(key).isEqualTo(admitted);
                    }
                });
        assertThat(limiter.size()).isEqualTo(keys);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLIDING_LOG")
    void losingARaceIsNoRefusalAndCostsLittle(LimitStrategy strategy) {
        int calls = Stress.times(2_000, 50_000);
        long[] nanos = new long[THREADS * calls];
        try (RateLimiter limiter = limiter(1_000_000_000, strategy)) {
            Race.run(
                    THREADS,
                    thread -> {
                        long[] out = new long[3];
                        for (int i = 0; i < calls; i++) {
                            long start = System.nanoTime();
                            assertThat(limiter.tryAcquire("hot", 1, out)).isTrue();
                            nanos[thread * calls + i] = System.nanoTime() - start;
                        }
                    });
            assertThat(limiter.peek("hot").remaining())
                    .isEqualTo(1_000_000_000 - THREADS * (long) calls);
        }
        Arrays.sort(nanos);
        long p99Nanos = nanos[nanos.length / 100 * 99];
        assertThat(Duration.ofNanos(p99Nanos)).isLessThan(Duration.ofMillis(5));
    }

    @ParameterizedTest
    @EnumSource
    void thousandsOfVirtualThreadsGetExactlyTheLimit(LimitStrategy strategy) throws Exception {
        try (RateLimiter limiter = limiter(10, strategy)) {
            for (int round = 0; round < Stress.times(10, 500); round++) {
                assertThat(admittedToVirtualThreads(limiter, "key-" + round, 2_000)).isEqualTo(10);
            }
        }
    }

    @Test
    void noVirtualThreadIsPinned(@TempDir java.nio.file.Path directory) throws Exception {
        assumeVirtualThreads();
        java.nio.file.Path file = directory.resolve("pinned.jfr");
        try (Recording recording = new Recording();
                RateLimiter limiter = limiter(10, LimitStrategy.TOKEN_BUCKET)) {
            recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO);
            recording.start();
            admittedToVirtualThreads(limiter, "key", 10_000);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> pinned = new ArrayList<>(RecordingFile.readAllEvents(file));
        pinned.removeIf(event -> !isInALimiter(event));
        assertThat(pinned).isEmpty();
    }

    private static boolean isInALimiter(RecordedEvent event) {
        return event.getStackTrace() != null
                && event.getStackTrace().getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName())
                        .anyMatch(
                                type ->
                                        type.startsWith("dev.ratelimit.")
                                                && !type.startsWith(FreshKeyTest.class.getName()));
    }

    private static int admittedToVirtualThreads(RateLimiter limiter, String key, int threads)
            throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Boolean>> decisions = new ArrayList<>();
        ExecutorService executor = virtualThreads();
        try {
            for (int i = 0; i < threads; i++) {
                decisions.add(
                        executor.submit(
                                () -> {
                                    start.await();
                                    return limiter.tryAcquire(key).allowed();
                                }));
            }
            start.countDown();
            int admitted = 0;
            for (Future<Boolean> decision : decisions) {
                admitted += decision.get() ? 1 : 0;
            }
            return admitted;
        } finally {
            executor.shutdown();
        }
    }

    private static void assumeVirtualThreads() {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
    }

    /** By reflection, since this is compiled for Java 17. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        assumeVirtualThreads();
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
