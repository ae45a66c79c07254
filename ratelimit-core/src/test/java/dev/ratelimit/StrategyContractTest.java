package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Strategies as a user's own code calls them. */
class StrategyContractTest {

    private static final long START_NANOS = SingleKey.START_NANOS;
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final LimitConfig FIVE_PER_SECOND = LimitConfig.of(5, Duration.ofSeconds(1));

    private final long[] out = new long[3];

    @ParameterizedTest
    @EnumSource(value = LimitStrategy.class, mode = Mode.EXCLUDE, names = "SLIDING_LOG")
    void works_on_a_plain_bucket(LimitStrategy strategy) {
        RateLimitStrategy created = strategy.create();
        Bucket bucket = new Bucket();

        assertThat(created.check(bucket, FIVE_PER_SECOND, 4, START_NANOS, out)).isTrue();
        assertThat(out[RateLimitStrategy.REMAINING]).isEqualTo(1);
        assertThat(out[RateLimitStrategy.RETRY_NANOS]).isZero();
        assertThat(created.check(bucket, FIVE_PER_SECOND, 2, START_NANOS, out)).isFalse();
        assertThat(out[RateLimitStrategy.REMAINING]).isEqualTo(1);
        assertThat(out[RateLimitStrategy.RETRY_NANOS]).isPositive();
        assertThat(created.check(bucket, FIVE_PER_SECOND, 6, START_NANOS, out)).isFalse();
        assertThat(out[RateLimitStrategy.RETRY_NANOS]).isEqualTo(-1);
    }

    @Test
    void a_log_wants_a_bucket_of_its_own() {
        RateLimitStrategy log = LimitStrategy.SLIDING_LOG.create();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> log.check(new Bucket(), FIVE_PER_SECOND, 1, START_NANOS, out))
                .withMessageContaining("newBucket");
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void zero_permits_ask_and_spend_nothing(LimitStrategy strategy) {
        SingleKey key = new SingleKey(strategy, FIVE_PER_SECOND);

        assertThat(key.check(0, START_NANOS)).isTrue();
        assertThat(key.out).containsExactly(5, START_NANOS / SECOND_NANOS, 0, 0);
        key.check(5, START_NANOS);
        assertThat(key.check(0, START_NANOS)).isTrue();
        assertThat(key.out[RateLimitStrategy.REMAINING]).isZero();
        assertThat(key.retryNanos()).isZero();
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void tells_the_reset_of_a_full_bucket_as_now(LimitStrategy strategy) {
        SingleKey key = new SingleKey(strategy, FIVE_PER_SECOND);

        key.check(0, START_NANOS + 1);
        assertThat(key.out[RateLimitStrategy.RESET]).isEqualTo(START_NANOS / SECOND_NANOS + 1);
    }

    // C46: a thread that read its clock long before it decides
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_clock_behind_admits_no_more(LimitStrategy strategy) {
        for (long lagSeconds = 0; lagSeconds <= 20; lagSeconds++) {
            SingleKey key = new SingleKey(strategy, FIVE_PER_SECOND);
            long lateNanos = START_NANOS - lagSeconds * SECOND_NANOS;

            assertThat(admitted(key, START_NANOS)).isEqualTo(5);
            assertThat(admitted(key, lateNanos)).isZero();
            assertThat(key.retryNanos()).isGreaterThanOrEqualTo(lagSeconds * SECOND_NANOS);
            assertThat(admitted(key, START_NANOS)).isZero();
            assertThat(admitted(key, START_NANOS + 2 * SECOND_NANOS)).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_clock_behind_spends_from_the_present(LimitStrategy strategy) {
        SingleKey key = new SingleKey(strategy, FIVE_PER_SECOND);
        key.check(3, START_NANOS);

        long behind = admitted(key, START_NANOS - 10 * SECOND_NANOS);
        assertThat(behind + admitted(key, START_NANOS)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_clock_behind_in_the_window_before_admits_no_more(LimitStrategy strategy) {
        SingleKey key = new SingleKey(strategy, FIVE_PER_SECOND);
        admitted(key, START_NANOS);
        admitted(key, START_NANOS + 3 * SECOND_NANOS / 2);

        for (long behindNanos = 0; behindNanos < SECOND_NANOS; behindNanos += 1_000_000) {
            assertThat(admitted(key, START_NANOS + behindNanos)).isZero();
        }
    }

    private static long admitted(SingleKey key, long nowNanos) {
        long admitted = 0;
        while (key.check(1, nowNanos)) {
            admitted++;
        }
        return admitted;
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void is_full_after_idling_for_any_number_of_windows(LimitStrategy strategy) {
        for (long requests : new long[] {1, 7, 1000, 1_000_000_000}) {
            if (strategy == LimitStrategy.SLIDING_LOG && requests > 1000) {
                continue;
            }
            LimitConfig config = LimitConfig.of(requests, Duration.ofMillis(1));
            // Words tell times apart modulo some power of two, so these are the pauses to fear.
            for (int shift = 1; shift < 41; shift++) {
                for (long windows :
                        new long[] {(1L << shift) - 1, 1L << shift, (1L << shift) + 1}) {
                    SingleKey key = new SingleKey(strategy, config);
                    key.check(requests, START_NANOS);
                    long later = START_NANOS + windows * config.windowNanos();

                    boolean full = windows > 1 || strategy != LimitStrategy.SLIDING_WINDOW;
                    assertThat(key.remaining(later)).isEqualTo(full ? requests : 0);
                    assertThat(key.isIdle(later)).isEqualTo(full);
                    assertThat(key.check(requests, later)).isEqualTo(full);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void an_expired_charge_gives_nothing_however_old(LimitStrategy strategy) {
        for (long requests : new long[] {5, 10_000, 1_000_000_000}) {
            if (strategy == LimitStrategy.SLIDING_LOG && requests > 10_000) {
                continue;
            }
            LimitConfig config = LimitConfig.of(requests, Duration.ofMillis(1));
            for (int shift = 1; shift < 41; shift++) {
                SingleKey key = new SingleKey(strategy, config);
                key.check(1, START_NANOS);
                long later = START_NANOS + (1L << shift) * config.windowNanos();
                key.check(requests, later);
                key.refund(1, START_NANOS, later);

                assertThat(key.remaining(later)).isZero();
            }
        }
    }

    @Test
    void a_log_of_10_000_is_exact() {
        SingleKey key =
                new SingleKey(
                        LimitStrategy.SLIDING_LOG, LimitConfig.of(10_000, Duration.ofDays(1)));
        for (int i = 0; i < 10_000; i++) {
            assertThat(key.check(1, START_NANOS + i)).isTrue();
        }
        long windowNanos = key.config.windowNanos();
        for (int i = 0; i < 10_000; i++) {
            assertThat(key.check(1, START_NANOS + windowNanos + i - 1)).isFalse();
            assertThat(key.retryNanos()).isEqualTo(1);
            assertThat(key.check(1, START_NANOS + windowNanos + i)).isTrue();
        }
    }

    // C41 and its kind: a clock that stalls, creeps and jumps
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_clock_that_stalls_and_jumps_only_ever_helps(LimitStrategy strategy) {
        SingleKey key = new SingleKey(strategy, FIVE_PER_SECOND);
        long nowNanos = START_NANOS;
        for (Duration jump :
                Arrays.asList(
                        Duration.ofHours(3),
                        Duration.ofDays(365),
                        Duration.ofSeconds(2),
                        Duration.ofDays(36_500))) {
            assertThat(admitted(key, nowNanos)).isEqualTo(5);
            assertThat(admitted(key, nowNanos)).isZero();
            assertThat(admitted(key, nowNanos + 1)).isZero();
            nowNanos += jump.toNanos();
        }
    }
}
