package dev.ratelimit.conformance;

import static dev.ratelimit.LimitStrategy.FIXED_WINDOW;
import static dev.ratelimit.LimitStrategy.SLIDING_LOG;
import static dev.ratelimit.LimitStrategy.SLIDING_WINDOW;
import static dev.ratelimit.LimitStrategy.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ratelimit.Decision;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimiter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Public failures of other rate limiters, by their numbers in the list that this project keeps of
 * them. Comments name the case.
 */
public abstract class StoreCasesTest extends StoreFixture {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private static boolean allowed(RateLimiter limiter) {
        return limiter.tryAcquire("key").allowed();
    }

    private static long admitted(RateLimiter limiter, long calls) {
        long admitted = 0;
        for (long call = 0; call < calls; call++) {
            admitted += allowed(limiter) ? 1 : 0;
        }
        return admitted;
    }

    /** Calls at regular times, first now, and leaves the clock at the end of the last pause. */
    private long admittedWhilePolling(RateLimiter limiter, long calls, Duration pause) {
        long admitted = 0;
        for (long call = 0; call < calls; call++) {
            admitted += allowed(limiter) ? 1 : 0;
            time.advance(pause);
        }
        return admitted;
    }

    /** Retry-After as HTTP tells it. */
    private static long retrySeconds(RateLimiter limiter) {
        Decision decision = limiter.tryAcquire("key");
        assertThat(decision.allowed()).isFalse();
        return decision.retryAfter().plusNanos(999_999_999).toSeconds();
    }

    private void advanceTo(Duration sinceStart) {
        time.set(START.plus(sinceStart));
    }

    private void advanceToEdge(Duration window) {
        long nanos = window.toNanos();
        time.advance(Duration.ofNanos(nanos - time.epochNanos() % nanos));
    }

    // C01
    @ParameterizedTest
    @CsvSource({
        "FIXED_WINDOW, 3600",
        "TOKEN_BUCKET, 3600",
        "SLIDING_WINDOW, 7200",
        "SLIDING_LOG, 3600"
    })
    void one_per_hour_is_one_per_hour(LimitStrategy strategy, long waitSeconds) {
        RateLimiter limiter = limiter(strategy, 1, HOUR);
        assertThat(allowed(limiter)).isTrue();

        time.advance(SECOND);
        assertThat(retrySeconds(limiter)).isEqualTo(waitSeconds - 1);
        advanceTo(Duration.ofSeconds(waitSeconds - 1));
        assertThat(retrySeconds(limiter)).isEqualTo(1);
        time.advance(SECOND);
        assertThat(admitted(limiter, 2)).isEqualTo(1);
    }

    // C01
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void one_per_leap_year_is_one_per_leap_year(LimitStrategy strategy) {
        Duration leapYear = Duration.ofDays(366);
        advanceToEdge(leapYear);
        RateLimiter limiter = limiter(strategy, 1, leapYear);
        assertThat(allowed(limiter)).isTrue();

        Duration wait = strategy == SLIDING_WINDOW ? leapYear.multipliedBy(2) : leapYear;
        time.advance(wait.minusNanos(resolutionNanos()));
        assertThat(allowed(limiter)).isFalse();
        time.advance(Duration.ofNanos(resolutionNanos()));
        assertThat(admitted(limiter, 2)).isEqualTo(1);
    }

    // C01
    @Test
    void three_per_minute_earns_one_in_twenty_seconds() {
        RateLimiter limiter = limiter(TOKEN_BUCKET, 3, MINUTE);
        assertThat(admitted(limiter, 4)).isEqualTo(3);

        advanceTo(Duration.ofMillis(19_999));
        assertThat(allowed(limiter)).isFalse();
        advanceTo(Duration.ofSeconds(20));
        assertThat(admitted(limiter, 2)).isEqualTo(1);
    }

    // C03
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void is_full_after_any_idle_time(LimitStrategy strategy) {
        long requests = strategy == SLIDING_LOG ? 10_000 : 1_000_000;
        RateLimiter limiter = limiter(strategy, requests, SECOND);
        allowed(limiter);

        for (Duration idle :
                List.of(
                        Duration.ofHours(12),
                        Duration.ofDays(6),
                        Duration.ofDays(30),
                        Duration.ofDays(365),
                        Duration.ofDays(365 * 20))) {
            time.advance(idle);
            Decision decision = limiter.tryAcquire("key");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.remaining()).isEqualTo(requests - 1);
        }
    }

    // C04
    @ParameterizedTest
    @CsvSource({"TOKEN_BUCKET, PT1S", "FIXED_WINDOW, P1D"})
    void a_large_quota_serves_a_caller_that_comes_seldom(LimitStrategy strategy, Duration window) {
        LimitConfig config = LimitConfig.of(1_000_000_000, window);
        assumeTrue(takes(new Limit(config, strategy.create())));
        RateLimiter limiter = limiter(strategy, config);
        advanceTo(Duration.ofMinutes(23 * 60 + 30));
        allowed(limiter);

        for (Duration idle : List.of(HOUR, Duration.ofDays(40))) {
            time.advance(idle);
            Decision decision = limiter.tryAcquire("key");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.remaining()).isEqualTo(999_999_999);
        }
    }

    // C07
    @Test
    void polling_does_not_keep_a_bucket_from_filling() {
        RateLimiter limiter = limiter(TOKEN_BUCKET, 10, SECOND);
        assertThat(admitted(limiter, 11)).isEqualTo(10);

        time.advance(Duration.ofMillis(10));
        assertThat(admittedWhilePolling(limiter, 200, Duration.ofMillis(10))).isEqualTo(20);
    }

    // C10
    @Test
    void a_sliding_window_waits_only_until_there_is_room() {
        RateLimiter limiter = limiter(SLIDING_WINDOW, 60, MINUTE);
        advanceTo(Duration.ofSeconds(30));
        assertThat(admitted(limiter, 60)).isEqualTo(60);

        advanceTo(Duration.ofSeconds(61));
        assertThat(admittedWhilePolling(limiter, 11, SECOND)).isEqualTo(11);
        assertThat(allowed(limiter)).isTrue();
        long waitSeconds = retrySeconds(limiter);
        assertThat(waitSeconds).isEqualTo(1);
        time.advance(Duration.ofSeconds(waitSeconds));
        assertThat(allowed(limiter)).isTrue();
    }

    // C12
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_window_is_not_rounded_up_to_a_whole_second(LimitStrategy strategy) {
        RateLimiter limiter = limiter(strategy, 1, SECOND);
        advanceTo(Duration.ofMillis(900));
        assertThat(allowed(limiter)).isTrue();

        time.advance(strategy == SLIDING_WINDOW ? SECOND.multipliedBy(2) : SECOND);
        assertThat(allowed(limiter)).isTrue();
    }

    // C12
    @ParameterizedTest
    @CsvSource({"FIXED_WINDOW, 10", "TOKEN_BUCKET, 10", "SLIDING_WINDOW, 5", "SLIDING_LOG, 10"})
    void one_per_tenth_of_a_second_is_not_one_per_second(LimitStrategy strategy, long expected) {
        RateLimiter limiter = limiter(strategy, 1, Duration.ofMillis(100));

        assertThat(admittedWhilePolling(limiter, 1000, Duration.ofMillis(1))).isEqualTo(expected);
    }

    // C17
    @ParameterizedTest
    @CsvSource({"10, PT1S, 1", "2, PT3S, 2", "1, PT1.001S, 2", "1, PT1S, 1", "1000, PT1S, 1"})
    void a_wait_is_told_in_seconds_rounded_up(long requests, Duration window, long seconds) {
        RateLimiter limiter = limiter(TOKEN_BUCKET, requests, window);
        admitted(limiter, requests);

        assertThat(retrySeconds(limiter)).isEqualTo(seconds);
    }

    // C19
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void admits_exactly_the_limit_in_a_fresh_window(LimitStrategy strategy) {
        for (long requests : List.of(1L, 2L, 5L, 100L)) {
            RateLimiter limiter = limiter(strategy, requests, MINUTE);
            for (long remaining = requests - 1; remaining >= 0; remaining--) {
                Decision decision = limiter.tryAcquire("key");
                assertThat(decision.allowed()).isTrue();
                assertThat(decision.remaining()).isEqualTo(remaining);
            }
            assertThat(admitted(limiter, 3)).isZero();
            assertThat(limiter.tryAcquire("another key").allowed()).isTrue();
        }
    }

    // C23
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_window_longer_than_25_days_limits(LimitStrategy strategy) {
        for (int days : List.of(30, 365)) {
            Duration window = Duration.ofDays(days);
            advanceToEdge(window);
            Instant first = Instant.ofEpochSecond(0, time.epochNanos());
            KeyedLimits limits = open(new Limit(LimitConfig.of(5, window), strategy.create()));
            RateLimiter limiter = limiter(limits);
            assertThat(admitted(limiter, 6)).isEqualTo(5);
            Duration wait = limiter.tryAcquire("key").retryAfter();
            assertThat(wait).isPositive();
            assertThat(wait)
                    .isLessThanOrEqualTo(
                            strategy == SLIDING_WINDOW ? window.multipliedBy(2) : window);

            for (int day : List.of(1, 25, days - 1)) {
                time.set(first.plus(Duration.ofDays(day)));
                sweep(limits);
                long earned = strategy == TOKEN_BUCKET ? 5L * day / days : 0;
                assertThat(limiter.peek("key").remaining()).isEqualTo(earned);
            }
        }
    }

    // C25
    @ParameterizedTest
    @CsvSource({"FIXED_WINDOW, 10", "TOKEN_BUCKET, 5", "SLIDING_WINDOW, 5", "SLIDING_LOG, 5"})
    void across_an_edge_passes_what_the_strategy_says(LimitStrategy strategy, long expected) {
        RateLimiter limiter = limiter(strategy, 5, MINUTE);
        advanceTo(Duration.ofMillis(59_900));
        long admitted = admitted(limiter, 5);
        advanceTo(Duration.ofMillis(60_100));

        assertThat(admitted + admitted(limiter, 5)).isEqualTo(expected);
    }

    // C28
    @ParameterizedTest
    @ValueSource(longs = {1, 3})
    void idle_time_earns_no_more_than_the_burst(long burst) {
        RateLimiter limiter = limiter(TOKEN_BUCKET, LimitConfig.of(1, SECOND).withBurst(burst));
        admitted(limiter, burst);
        advanceTo(HOUR);

        assertThat(admitted(limiter, burst + 4)).isEqualTo(burst);
    }

    // C44, C146
    @Test
    void summer_time_and_refused_calls_do_not_prolong_a_window() {
        TimeZone zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Rome"));
        try {
            time.set(Instant.parse("2026-10-25T00:58:00Z"));
            RateLimiter limiter = limiter(FIXED_WINDOW, 5, Duration.ofMinutes(5));
            assertThat(admitted(limiter, 5)).isEqualTo(5);
            assertThat(retrySeconds(limiter)).isEqualTo(120);

            assertThat(admittedWhilePolling(limiter, 120, SECOND)).isZero();
            assertThat(allowed(limiter)).isTrue();
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    // C146
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void refused_calls_do_not_prolong_the_wait(LimitStrategy strategy) {
        RateLimiter limiter = limiter(strategy, 5, Duration.ofSeconds(10));
        assertThat(admitted(limiter, 5)).isEqualTo(5);
        Duration wait = limiter.tryAcquire("key").retryAfter();

        Duration pause = wait.dividedBy(20);
        assertThat(admittedWhilePolling(limiter, 20, pause)).isZero();
        time.advance(wait.minus(pause.multipliedBy(20)));
        assertThat(allowed(limiter)).isTrue();
    }

    // C55
    @Test
    void refused_calls_take_no_place_in_a_log() {
        RateLimiter limiter = limiter(SLIDING_LOG, 10, MINUTE);

        assertThat(admittedWhilePolling(limiter, 2000, Duration.ofMillis(30))).isEqualTo(10);
        assertThat(admitted(limiter, 11)).isEqualTo(1);
    }

    // C144
    @Test
    void what_has_left_the_window_does_not_count() {
        RateLimiter limiter = limiter(SLIDING_LOG, 3, Duration.ofSeconds(10));
        assertThat(admitted(limiter, 4)).isEqualTo(3);

        advanceTo(Duration.ofMillis(10_001));
        assertThat(admitted(limiter, 4)).isEqualTo(3);
    }
}
