package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each strategy promises never to exceed, checked over all stretches of random walks. */
class AdmissionBoundsTest {

    private static final long UNBOUNDED = Long.MAX_VALUE / 2;

    private record Admission(long permits, long atNanos) {}

    private final List<Admission> admissions = new ArrayList<>();

    /** What is given back, however late, was not spent. */
    @ParameterizedTest
    @MethodSource("dev.ratelimit.RandomWalk#limitsAndSeeds")
    void never_admits_more_than_the_strategy_promises(
            LimitStrategy strategy, LimitConfig config, long seed) {
        SingleKey key = new SingleKey(strategy, config);
        RandomWalk.walk(
                seed,
                key,
                (permits, nowNanos, random) -> {
                    if (random.nextInt(5) == 0 && !admissions.isEmpty()) {
                        int recent = Math.min(admissions.size(), 5);
                        Admission back =
                                admissions.remove(admissions.size() - 1 - random.nextInt(recent));
                        key.refund(back.permits, back.atNanos, nowNanos);
                    }
                    if (key.check(permits, nowNanos)) {
                        admissions.add(new Admission(permits, nowNanos));
                    }
                    return Math.max(key.retryNanos(), 0);
                });
        assertBounded(strategy, config);
    }

    private void assertBounded(LimitStrategy strategy, LimitConfig config) {
        for (int first = 0; first < admissions.size(); first++) {
            long sum = 0;
            for (Admission last : admissions.subList(first, admissions.size())) {
                sum += last.permits;
                long most = most(strategy, config, admissions.get(first).atNanos, last.atNanos);
                if (sum > most) {
                    assertThat(sum).isLessThanOrEqualTo(most);
                }
            }
        }
    }

    /** The most that may pass from one moment to another, both included. */
    private static long most(
            LimitStrategy strategy, LimitConfig config, long fromNanos, long toNanos) {
        long windowNanos = config.windowNanos();
        long requests = config.requests();
        boolean oneWindow = toNanos - fromNanos < windowNanos;
        return switch (strategy) {
            case FIXED_WINDOW ->
                    toNanos / windowNanos == fromNanos / windowNanos ? requests : UNBOUNDED;
            case TOKEN_BUCKET -> config.burst() + earned(config, toNanos - fromNanos);
            case SLIDING_WINDOW -> oneWindow ? 2 * requests - 1 : UNBOUNDED;
            case SLIDING_LOG -> oneWindow ? requests : UNBOUNDED;
        };
    }

    private static long earned(LimitConfig config, long nanos) {
        return BigInteger.valueOf(config.requests())
                .multiply(BigInteger.valueOf(nanos))
                .divide(BigInteger.valueOf(config.windowNanos()))
                .min(BigInteger.valueOf(UNBOUNDED))
                .longValueExact();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 10, 100, 1000})
    void a_sliding_window_lets_at_most_2N_minus_1_pass_in_a_true_window(long requests) {
        LimitConfig config = LimitConfig.of(requests, Duration.ofSeconds(1));
        SingleKey key = new SingleKey(LimitStrategy.SLIDING_WINDOW, config);
        long edgeNanos = SingleKey.START_NANOS + config.windowNanos();
        assertThat(key.check(requests, edgeNanos - 1)).isTrue();

        long admitted = requests;
        long nowNanos = edgeNanos;
        while (nowNanos < edgeNanos - 1 + config.windowNanos()) {
            if (key.check(1, nowNanos)) {
                admitted++;
            } else {
                nowNanos += key.retryNanos();
            }
        }
        assertThat(admitted).isEqualTo(2 * requests - 1);
    }

    @Test
    void a_fixed_window_lets_2N_pass_across_an_edge() {
        LimitConfig config = LimitConfig.of(10, Duration.ofSeconds(1));
        SingleKey key = new SingleKey(LimitStrategy.FIXED_WINDOW, config);

        assertThat(key.check(10, SingleKey.START_NANOS - 1)).isTrue();
        assertThat(key.check(10, SingleKey.START_NANOS)).isTrue();
        assertThat(key.check(1, SingleKey.START_NANOS + config.windowNanos() - 1)).isFalse();
    }
}
