package dev.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.ratelimit.Bucket;
import dev.ratelimit.Decision;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.docs.StrategiesDoc.Timeline;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds docs/strategies.md to what the strategies do, and its code to what it promises. */
class StrategiesDocTest {

    private static final StrategiesDoc DOC = StrategiesDoc.read();

    /** On the grid of every window in the document. */
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final LimitConfig ONE_PER_MINUTE = LimitConfig.of(1, Duration.ofMinutes(1));

    private static ClassLoader compiled;

    @BeforeAll
    static void compile_the_code_of_the_document(@TempDir Path classes) throws Exception {
        compiled = SourceCompiler.compile(DOC.classes(), classes);
    }

    static List<Timeline> timelinesOfOneStrategy() {
        return DOC.timelines().stream().filter(timeline -> !timeline.strategy().isEmpty()).toList();
    }

    static List<Timeline> timelinesOfAllStrategies() {
        return DOC.timelines().stream().filter(timeline -> timeline.strategy().isEmpty()).toList();
    }

    @ParameterizedTest
    @MethodSource("timelinesOfOneStrategy")
    void a_timeline_is_what_happens(Timeline timeline) throws Exception {
        ManualTimeSource timeSource = new ManualTimeSource(START);
        try (RateLimiter limiter = limiter(timeline, timeline.strategy(), timeSource)) {
            for (Map<String, String> row : timeline.rows()) {
                timeSource.set(START.plus(StrategiesDoc.duration(row.get("at"))));
                Decision decision =
                        limiter.tryAcquire(
                                "client", Long.parseLong(row.getOrDefault("permits", "1")));
                assertThat(decision.allowed() ? "allowed" : "refused")
                        .as("%s", row)
                        .isEqualTo(row.get("answer"));
                assertThat(decision.remaining())
                        .as("%s", row)
                        .isEqualTo(Long.parseLong(row.get("remaining")));
                assertThat(decision.retryAfter())
                        .as("%s", row)
                        .isEqualTo(retryAfter(row.get("retry after")));
            }
        }
        assertThat(timeline.rows()).hasSizeGreaterThan(3);
    }

    private static Duration retryAfter(String cell) {
        return switch (cell) {
            case "" -> Duration.ZERO;
            case "never" -> Duration.ofNanos(-1);
            default -> StrategiesDoc.duration(cell);
        };
    }

    @ParameterizedTest
    @MethodSource("timelinesOfAllStrategies")
    void a_comparison_is_what_happens(Timeline timeline) throws Exception {
        for (LimitStrategy strategy : LimitStrategy.values()) {
            ManualTimeSource timeSource = new ManualTimeSource(START);
            try (RateLimiter limiter = limiter(timeline, strategy.name(), timeSource)) {
                for (Map<String, String> row : timeline.rows()) {
                    timeSource.set(START.plus(StrategiesDoc.duration(row.get("at"))));
                    boolean allowed = limiter.tryAcquire("client").allowed();
                    assertThat(allowed ? "allowed" : "refused")
                            .as("%s in %s", strategy, row)
                            .isEqualTo(row.get(strategy.name()));
                }
            }
        }
        assertThat(timeline.rows()).hasSizeGreaterThan(3);
    }

    @ParameterizedTest
    @EnumSource
    void every_built_in_strategy_has_a_timeline_and_a_place_in_the_comparison(
            LimitStrategy strategy) {
        assertThat(timelinesOfOneStrategy())
                .extracting(Timeline::strategy)
                .contains(strategy.name());
        assertThat(timelinesOfAllStrategies())
                .hasSize(1)
                .allSatisfy(
                        timeline ->
                                assertThat(timeline.rows().get(0)).containsKey(strategy.name()));
    }

    @Test
    void every_table_of_instants_has_a_caption_that_makes_it_a_timeline() {
        assertThat(DOC.timelines()).hasSize((int) DOC.countTablesOfInstants());
    }

    private static RateLimiter limiter(
            Timeline timeline, String strategy, ManualTimeSource timeSource) throws Exception {
        LimitConfig config = LimitConfig.of(timeline.requests(), timeline.window());
        return RateLimiter.builder("docs")
                .limit(
                        timeline.burst() == 0 ? config : config.withBurst(timeline.burst()),
                        strategy(strategy))
                .timeSource(timeSource)
                .build();
    }

    private static RateLimitStrategy strategy(String name) throws Exception {
        boolean builtIn =
                Arrays.stream(LimitStrategy.values()).anyMatch(known -> known.name().equals(name));
        return builtIn
                ? LimitStrategy.valueOf(name).create()
                : (RateLimitStrategy)
                        compiled.loadClass("com.example." + name).getConstructor().newInstance();
    }

    private static RateLimitStrategy doublingPause() throws Exception {
        return strategy("DoublingPause");
    }

    @Test
    void the_lambda_begins_days_at_local_midnight() throws Exception {
        RateLimitStrategy strategy =
                (RateLimitStrategy)
                        compiled.loadClass("com.example.LocalFixedWindow")
                                .getMethod("at", ZoneOffset.class)
                                .invoke(null, ZoneOffset.ofHours(2));
        ManualTimeSource timeSource = new ManualTimeSource(START);
        try (RateLimiter limiter =
                RateLimiter.builder("docs")
                        .limit(LimitConfig.of(1, Duration.ofDays(1)), strategy)
                        .timeSource(timeSource)
                        .build()) {
            assertThat(limiter.tryAcquire("client").allowed()).isTrue();
            Decision refused = limiter.tryAcquire("client");
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofHours(22));
            assertThat(refused.resetEpochSeconds())
                    .isEqualTo(START.plus(Duration.ofHours(22)).getEpochSecond());

            timeSource.advance(Duration.ofHours(22));
            assertThat(limiter.tryAcquire("client").allowed()).isTrue();
        }
    }

    @Test
    void the_custom_strategy_changes_nothing_by_a_refusal_or_a_question() throws Exception {
        RateLimitStrategy strategy = doublingPause();
        Bucket bucket = strategy.newBucket(ONE_PER_MINUTE);
        long now = nanos(START);
        long[] out = new long[3];

        assertThat(strategy.check(bucket, ONE_PER_MINUTE, 0, now, out)).isTrue();
        assertThat(out[RateLimitStrategy.REMAINING]).isEqualTo(1);
        assertThat(bucket.slot0()).isZero();

        assertThat(strategy.check(bucket, ONE_PER_MINUTE, 1, now, out)).isTrue();
        long spent = bucket.slot0();
        assertThat(strategy.check(bucket, ONE_PER_MINUTE, 1, now + 1, out)).isFalse();
        assertThat(strategy.check(bucket, ONE_PER_MINUTE, 2, now + 1, out)).isFalse();
        assertThat(strategy.check(bucket, ONE_PER_MINUTE, 0, now + 1, out)).isTrue();
        assertThat(out[RateLimitStrategy.REMAINING]).isZero();
        assertThat(bucket.slot0()).isEqualTo(spent);
        assertThat(bucket.slot1()).isZero();
    }

    @Test
    void the_custom_strategy_admits_whoever_waits_as_long_as_it_says_and_not_before()
            throws Exception {
        RateLimitStrategy strategy = doublingPause();
        Bucket bucket = strategy.newBucket(ONE_PER_MINUTE);
        long[] out = new long[3];
        long now = nanos(START) + 3;

        for (int i = 0; i < 10; i++) {
            assertThat(strategy.check(bucket, ONE_PER_MINUTE, 1, now, out)).isTrue();
            assertThat(strategy.check(bucket, ONE_PER_MINUTE, 1, now, out)).isFalse();
            long pauseNanos = TimeUnit.MINUTES.toNanos(1) << Math.min(i, 5);
            assertThat(out[RateLimitStrategy.RETRY_NANOS]).isBetween(pauseNanos, pauseNanos + 7);
            now += out[RateLimitStrategy.RETRY_NANOS];
            assertThat(strategy.check(bucket, ONE_PER_MINUTE, 1, now - 1, out)).isFalse();
        }
    }

    @Test
    void the_custom_strategy_is_idle_only_when_its_next_pause_would_be_the_first()
            throws Exception {
        RateLimitStrategy strategy = doublingPause();
        Bucket bucket = strategy.newBucket(ONE_PER_MINUTE);
        long[] out = new long[3];
        long now = nanos(START);
        long minute = TimeUnit.MINUTES.toNanos(1);

        assertThat(strategy.isIdle(bucket, ONE_PER_MINUTE, now)).isTrue();
        strategy.check(bucket, ONE_PER_MINUTE, 1, now, out);
        assertThat(strategy.isIdle(bucket, ONE_PER_MINUTE, now + minute)).isFalse();
        assertThat(strategy.isIdle(bucket, ONE_PER_MINUTE, now + 2 * minute - 1)).isFalse();
        assertThat(strategy.isIdle(bucket, ONE_PER_MINUTE, now + 2 * minute)).isTrue();
    }

    @Test
    void the_custom_strategy_takes_a_charge_back_and_never_more() throws Exception {
        ManualTimeSource timeSource = new ManualTimeSource(START);
        try (RateLimiter limiter =
                RateLimiter.builder("docs")
                        .limit(ONE_PER_MINUTE, doublingPause())
                        .timeSource(timeSource)
                        .build()) {
            Decision first = limiter.tryAcquire("client");
            timeSource.advance(Duration.ofSeconds(60));
            Decision second = limiter.tryAcquire("client");
            assertThat(limiter.peek("client").retryAfter()).isEqualTo(Duration.ofSeconds(120));

            limiter.refund("client", first);
            assertThat(limiter.peek("client").retryAfter()).isEqualTo(Duration.ofSeconds(120));

            limiter.refund("client", second);
            assertThat(limiter.tryAcquire("client").allowed()).isTrue();
            assertThat(limiter.peek("client").retryAfter()).isEqualTo(Duration.ofSeconds(120));
        }
    }

    @Test
    void the_custom_strategy_admits_one_of_several_threads() throws Exception {
        RateLimitStrategy strategy = doublingPause();
        long now = nanos(START);
        Bucket[] buckets = new Bucket[100_000];
        Arrays.setAll(buckets, i -> strategy.newBucket(ONE_PER_MINUTE));
        int threads = 3;
        CyclicBarrier start = new CyclicBarrier(threads);
        Callable<Integer> askForEach =
                () -> {
                    long[] out = new long[3];
                    int admitted = 0;
                    start.await();
                    for (Bucket bucket : buckets) {
                        if (strategy.check(bucket, ONE_PER_MINUTE, 1, now, out)) {
                            admitted++;
                        }
                    }
                    return admitted;
                };
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            int admitted = 0;
            for (Future<Integer> result :
                    executor.invokeAll(Collections.nCopies(threads, askForEach))) {
                admitted += result.get();
            }
            assertThat(admitted).isEqualTo(buckets.length);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void the_custom_strategy_allocates_nothing() throws Exception {
        RateLimitStrategy strategy = doublingPause();
        Bucket bucket = strategy.newBucket(ONE_PER_MINUTE);
        long[] out = new long[3];
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long now = nanos(START);
        strategy.check(bucket, ONE_PER_MINUTE, 1, now, out);
        long before = threads.getCurrentThreadAllocatedBytes();

        for (int i = 1; i <= 10_000; i++) {
            long later = now + TimeUnit.SECONDS.toNanos(i);
            strategy.check(bucket, ONE_PER_MINUTE, 1, later, out);
            strategy.isIdle(bucket, ONE_PER_MINUTE, later);
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    }

    private static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond());
    }
}
