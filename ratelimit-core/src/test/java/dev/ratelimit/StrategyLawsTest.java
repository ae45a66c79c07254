package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds of every strategy at every limit, tried on random walks. */
class StrategyLawsTest {

    private static void assertSameAnswers(
            SingleKey actual, SingleKey expected, long permits, long nowNanos) {
        boolean admitted = expected.check(permits, nowNanos);
        assertThat(actual.check(permits, nowNanos)).isEqualTo(admitted);
        assertThat(actual.out).isEqualTo(expected.out);
    }

    @ParameterizedTest
    @MethodSource("dev.ratelimit.RandomWalk#limitsAndSeeds")
    void who_waits_as_long_as_told_is_admitted_and_not_sooner(
            LimitStrategy strategy, LimitConfig config, long seed) {
        SingleKey key = new SingleKey(strategy, config);
        RandomWalk.walk(
                seed,
                key,
                (permits, nowNanos, random) -> {
                    if (key.check(permits, nowNanos)) {
                        assertThat(key.retryNanos()).isZero();
                        return key.growthNanos(nowNanos);
                    }
                    long retryNanos = key.retryNanos();
                    if (permits > config.burst()) {
                        assertThat(retryNanos).isEqualTo(-1);
                        return 0;
                    }
                    assertThat(retryNanos).isPositive();
                    assertThat(key.check(permits, nowNanos + retryNanos - 1)).isFalse();
                    assertThat(key.retryNanos()).isEqualTo(1);
                    assertThat(key.remaining(nowNanos + retryNanos))
                            .isGreaterThanOrEqualTo(permits);
                    return retryNanos;
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ratelimit.RandomWalk#limitsAndSeeds")
    void more_is_left_at_the_reset_and_not_sooner(
            LimitStrategy strategy, LimitConfig config, long seed) {
        SingleKey key = new SingleKey(strategy, config);
        RandomWalk.walk(
                seed,
                key,
                (permits, nowNanos, random) -> {
                    key.check(permits, nowNanos);
                    long remaining = key.out[RateLimitStrategy.REMAINING];
                    long growthNanos = key.out[BuiltInStrategy.GROWTH_NANOS];
                    assertThat(key.out[RateLimitStrategy.RESET])
                            .isEqualTo(ceilSeconds(nowNanos + growthNanos));
                    if (remaining == config.burst()) {
                        assertThat(growthNanos).isZero();
                    } else {
                        assertThat(key.remaining(nowNanos + growthNanos - 1)).isEqualTo(remaining);
                        assertThat(key.remaining(nowNanos + growthNanos)).isGreaterThan(remaining);
                    }
                    return growthNanos;
                });
    }

    private static long ceilSeconds(long nanos) {
        return nanos / 1_000_000_000 + (nanos % 1_000_000_000 == 0 ? 0 : 1);
    }

    @ParameterizedTest
    @MethodSource("dev.ratelimit.RandomWalk#limitsAndSeeds")
    void a_refusal_and_a_question_leave_no_trace(
            LimitStrategy strategy, LimitConfig config, long seed) {
        SingleKey key = new SingleKey(strategy, config);
        SingleKey unasked = new SingleKey(strategy, config);
        RandomWalk.walk(
                seed,
                key,
                (permits, nowNanos, random) -> {
                    long[] slots = key.slots();
                    if (key.check(permits, nowNanos)) {
                        assertThat(unasked.check(permits, nowNanos)).isTrue();
                        assertThat(unasked.out).isEqualTo(key.out);
                    } else {
                        assertThat(key.slots()).isEqualTo(slots);
                    }
                    return Math.max(key.retryNanos(), 0);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ratelimit.RandomWalk#limitsAndSeeds")
    void a_refund_at_once_is_the_inverse(LimitStrategy strategy, LimitConfig config, long seed) {
        SingleKey key = new SingleKey(strategy, config);
        SingleKey uncharged = new SingleKey(strategy, config);
        RandomWalk.walk(
                seed,
                key,
                (permits, nowNanos, random) -> {
                    assertSameAnswers(key, uncharged, 0, nowNanos);
                    if (!random.nextBoolean()) {
                        assertSameAnswers(key, uncharged, permits, nowNanos);
                    } else if (key.check(permits, nowNanos)) {
                        key.refund(permits, nowNanos, nowNanos);
                    }
                    return Math.max(key.retryNanos(), 0);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ratelimit.RandomWalk#limitsAndSeeds")
    void an_idle_bucket_is_as_good_as_new(LimitStrategy strategy, LimitConfig config, long seed) {
        SingleKey key = new SingleKey(strategy, config);
        SingleKey renewed = new SingleKey(strategy, config);
        RandomWalk.walk(
                seed,
                key,
                (permits, nowNanos, random) -> {
                    boolean idle = renewed.isIdle(nowNanos);
                    assertThat(idle).isEqualTo(renewed.remaining(nowNanos) == config.burst());
                    if (idle) {
                        renewed.renew();
                    }
                    assertSameAnswers(renewed, key, permits, nowNanos);
                    return Math.max(key.retryNanos(), 0);
                });
    }
}
