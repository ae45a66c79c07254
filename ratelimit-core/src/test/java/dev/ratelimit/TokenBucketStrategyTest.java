package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.conformance.ReferenceModel;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketStrategyTest {

    private static final long START_NANOS = SingleKey.START_NANOS;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long SECOND_NANOS = 1_000_000_000L;

    private static SingleKey bucket(LimitConfig config) {
        return new SingleKey(LimitStrategy.TOKEN_BUCKET, config);
    }

    private static SingleKey bucketPerSecond(long requests) {
        return bucket(LimitConfig.of(requests, SECOND));
    }

    // C06
    @Test
    void does_not_round_the_interval_of_700_million_per_second() {
        SingleKey key = bucketPerSecond(700_000_000);
        for (int call = 0; call < 10_000; call++) {
            assertThat(key.check(1, START_NANOS)).isTrue();
        }

        assertThat(key.remaining(START_NANOS + 5_000)).isEqualTo(700_000_000 - 6_500);
    }

    // C06
    @ParameterizedTest
    @ValueSource(longs = {999_999_937, 333_333_333, 900_000_000, 700_000_000, 7, 1_000_000_000})
    void earns_exactly_its_rate(long requests) {
        LimitConfig config = LimitConfig.of(requests, SECOND);
        SingleKey key = bucket(config);
        ReferenceModel model = ReferenceModel.strictest(LimitStrategy.TOKEN_BUCKET, config);
        key.check(requests, START_NANOS);
        model.spend(requests, START_NANOS);

        Random random = new Random(requests);
        long nowNanos = START_NANOS;
        for (int call = 0; call < 20_000; call++) {
            nowNanos += random.nextInt(1 << random.nextInt(20));
            long permits = Math.max(model.free(nowNanos) / 2, 1);
            boolean admitted = model.free(nowNanos) >= permits;
            if (admitted) {
                model.spend(permits, nowNanos);
            }
            assertThat(key.check(permits, nowNanos)).isEqualTo(admitted);
            assertThat(key.out[RateLimitStrategy.REMAINING]).isEqualTo(model.free(nowNanos));
        }
    }

    // C06
    @Test
    void admits_7_per_second_while_polled_each_millisecond() {
        SingleKey key = bucketPerSecond(7);
        long admitted = 0;
        for (long millis = 0; millis <= 1_000_000; millis++) {
            admitted += key.check(1, START_NANOS + millis * 1_000_000) ? 1 : 0;
        }

        assertThat(admitted).isEqualTo(7 + 7 * 1000);
    }

    @Test
    void does_not_drift_within_a_day() {
        SingleKey key = bucketPerSecond(7);
        key.check(7, START_NANOS);
        for (long admitted = 1; admitted <= 7 * 86_400; admitted++) {
            long dueNanos = START_NANOS + -Math.floorDiv(-admitted * SECOND_NANOS, 7L);
            if (key.check(1, dueNanos - 1) || !key.check(1, dueNanos)) {
                assertThat(admitted).as("admitted at another time than due").isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 100, 999_999_937, 1_000_000_000})
    void does_not_drift_within_a_century(long requests) {
        SingleKey key = bucket(LimitConfig.of(requests, SECOND).withBurst(1));
        key.check(1, START_NANOS);
        Random random = new Random(requests);
        long nowNanos = START_NANOS;
        while (nowNanos < START_NANOS + Duration.ofDays(36_500).toNanos()) {
            nowNanos += random.nextLong(Duration.ofDays(100).toNanos());
            assertThat(key.check(1, nowNanos)).isTrue();
            assertThat(key.check(1, nowNanos)).isFalse();
            assertThat(key.retryNanos()).isEqualTo(-Math.floorDiv(-SECOND_NANOS, requests));
        }
    }

    @Test
    void paces_evenly_with_a_burst_of_1() {
        SingleKey key = bucket(LimitConfig.of(10, SECOND).withBurst(1));
        for (int i = 0; i < 50; i++) {
            long dueNanos = START_NANOS + i * SECOND_NANOS / 10;
            assertThat(key.check(1, dueNanos)).isTrue();
            assertThat(key.check(1, dueNanos + SECOND_NANOS / 10 - 1)).isFalse();
        }
    }

    @Test
    void may_have_a_burst_smaller_than_its_requests() {
        SingleKey key = bucket(LimitConfig.of(100, SECOND).withBurst(5));

        assertThat(key.check(6, START_NANOS)).isFalse();
        assertThat(key.retryNanos()).isEqualTo(-1);
        assertThat(key.check(5, START_NANOS)).isTrue();
        assertThat(key.remaining(START_NANOS + SECOND_NANOS)).isEqualTo(5);
    }

    /**
     * These take longer to fill than the finest exact unit can tell. They may be too strict by 2⁻²⁷
     * of what they earn, never too generous.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 366, 1000000000",
        "7, 366, 1000000000",
        "999999937, 366, 999999937",
        "999999937, 366, 1000000000",
        "1000003, 1, 1000003",
        "1, 30, 123456789",
        "31, 1, 999999999"
    })
    void earns_at_most_its_rate_and_hardly_less_where_rounded(
            long requests, long days, long burst) {
        LimitConfig config = LimitConfig.of(requests, Duration.ofDays(days)).withBurst(burst);
        for (long chunk : new long[] {1, Math.max(burst / 1000, 1)}) {
            assertEarnsHardlyLess(config, chunk);
        }
    }

    private static void assertEarnsHardlyLess(LimitConfig config, long chunk) {
        SingleKey key = bucket(config);
        // As late as can be within any unit of time that is longer than a nanosecond.
        long drainedNanos = START_NANOS | ((1L << 40) - 1);
        assertThat(key.check(config.burst(), drainedNanos)).isTrue();

        long nowNanos = drainedNanos;
        for (long earned = chunk;
                earned <= Math.min(config.burst(), 1000 * chunk);
                earned += chunk) {
            long dueNanos = ceilNanos(earned, config);
            if (dueNanos > Duration.ofDays(365 * 100).toNanos()) {
                return;
            }
            assertThat(key.check(chunk, nowNanos)).isFalse();
            nowNanos += key.retryNanos();
            assertThat(nowNanos - drainedNanos - dueNanos).isBetween(0L, 1 + (dueNanos >> 27));
            assertThat(key.check(chunk, nowNanos - 1)).isFalse();
            assertThat(key.check(chunk, nowNanos)).isTrue();
        }
    }

    private static long ceilNanos(long permits, LimitConfig config) {
        BigInteger[] nanos =
                BigInteger.valueOf(permits)
                        .multiply(BigInteger.valueOf(config.windowNanos()))
                        .divideAndRemainder(BigInteger.valueOf(config.requests()));
        return nanos[0].add(BigInteger.valueOf(nanos[1].signum()))
                .min(BigInteger.valueOf(Long.MAX_VALUE))
                .longValueExact();
    }

    @Test
    void gives_back_all_of_a_charge_at_once_and_later_what_time_has_not() {
        SingleKey key = bucketPerSecond(10);
        key.check(10, START_NANOS);
        key.refund(1, START_NANOS, START_NANOS);
        assertThat(key.remaining(START_NANOS)).isEqualTo(1);

        long halfway = START_NANOS + SECOND_NANOS / 20;
        key.refund(1, START_NANOS, halfway);
        assertThat(key.remaining(halfway)).isEqualTo(2);
        assertThat(key.growthNanos(halfway)).isEqualTo(SECOND_NANOS / 10);
    }

    @Test
    void gives_back_nothing_of_what_time_has_given_back() {
        SingleKey key = bucketPerSecond(10);
        key.check(1, START_NANOS);
        long later = START_NANOS + SECOND_NANOS / 10;
        key.check(10, later);
        key.refund(1, START_NANOS, later);

        assertThat(key.check(1, later)).isFalse();
    }
}
