package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which keys are remembered, for how long, and what happens when there are too many. */
class InMemoryKeysTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final CapturedWarnings warnings = new CapturedWarnings(InMemoryLimits.class);
    private final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));

    @AfterEach
    void close() {
        warnings.close();
    }

    private InMemoryLimits limits(LimitStrategy strategy, long requests, long maxKeys) {
        Limit limit = new Limit(LimitConfig.of(requests, SECOND), strategy.create());
        return new InMemoryLimits("rule", List.of(limit), maxKeys, time);
    }

    private static boolean acquire(InMemoryLimits limits, Object key) {
        return limits.acquire(new Charge(limits, key, 1));
    }

    private static long remaining(InMemoryLimits limits, Object key) {
        Charge charge = new Charge(limits, key, 1);
        limits.peek(charge);
        return charge.remaining(0);
    }

    // C73
    @Test
    void keys_are_the_same_only_if_they_are_equal() {
        InMemoryLimits limits = limits(LimitStrategy.FIXED_WINDOW, 1, 100);
        List<Object> keys =
                List.of(
                        List.of("a", "bc"),
                        List.of("ab", "c"),
                        List.of("a:b", "c"),
                        List.of("a", "b:c"),
                        List.of("x|y", "z"),
                        List.of("x", "y|z"),
                        List.of("2001:db8::1", "80"),
                        List.of("2001:db8:", "1:80"),
                        Arrays.asList("a", null),
                        List.of("a", "null"),
                        List.of("a", ""),
                        List.of("a"),
                        "a",
                        "A");

        for (Object key : keys) {
            assertThat(acquire(limits, key)).as("%s", key).isTrue();
        }
        assertThat(acquire(limits, List.of("a", "bc"))).isFalse();
        assertThat(limits.size()).isEqualTo(keys.size());
    }

    // C50
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void idle_keys_are_forgotten_and_no_others(LimitStrategy strategy) {
        InMemoryLimits limits = limits(strategy, 2, 1_000_000);
        for (int key = 0; key < 10_000; key++) {
            acquire(limits, key);
        }
        time.advance(SECOND.multipliedBy(2).minusNanos(1));
        acquire(limits, "live");
        limits.sweep();
        assertThat(limits.size()).isEqualTo(strategy == LimitStrategy.SLIDING_WINDOW ? 10_001 : 1);

        time.advance(Duration.ofNanos(1));
        limits.sweep();
        assertThat(limits.size()).isEqualTo(strategy == LimitStrategy.FIXED_WINDOW ? 0 : 1);
        time.advance(SECOND.multipliedBy(10));
        limits.sweep();
        assertThat(limits.size()).isZero();
        assertThat(acquire(limits, 0)).isTrue();
    }

    // C55
    @Test
    void a_refused_call_makes_no_state_that_lasts() {
        InMemoryLimits limits = limits(LimitStrategy.SLIDING_LOG, 1, 100);
        limits.acquire(new Charge(limits, "key", 2));
        limits.sweep();

        assertThat(limits.size()).isZero();
    }

    // C52, C53
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void beyond_the_most_keys_new_ones_share_and_old_ones_stay_exact(LimitStrategy strategy) {
        InMemoryLimits limits = limits(strategy, 5, 10);
        for (int key = 0; key < 10; key++) {
            acquire(limits, key);
        }
        assertThat(limits.overflows()).isZero();
        long admitted = 0;
        for (int key = 10; key < 2010; key++) {
            admitted += acquire(limits, key) ? 1 : 0;
        }

        assertThat(limits.size()).isEqualTo(10);
        assertThat(limits.maxKeys()).isEqualTo(10);
        assertThat(limits.overflows()).isEqualTo(2000);
        // Five of each shared bucket, of which there are 64.
        assertThat(admitted).isEqualTo(5 * 64);
        for (int key = 0; key < 10; key++) {
            assertThat(remaining(limits, key)).isEqualTo(4);
        }
    }

    @Test
    void a_key_that_shares_cannot_get_a_bucket_of_its_own_while_the_shared_one_is_live() {
        InMemoryLimits limits = limits(LimitStrategy.TOKEN_BUCKET, 5, 1);
        limits.acquire(new Charge(limits, "first", 1));
        limits.acquire(new Charge(limits, "sharing", 5));
        time.advance(Duration.ofMillis(200));
        limits.sweep();
        assertThat(limits.size()).isZero();
        assertThat(remaining(limits, "sharing")).isEqualTo(1);

        assertThat(limits.acquire(new Charge(limits, "sharing", 2))).isFalse();
        time.advance(SECOND);
        limits.sweep();
        assertThat(limits.acquire(new Charge(limits, "sharing", 5))).isTrue();
        assertThat(limits.size()).isEqualTo(1);
    }

    // C53
    @Test
    void warns_once_of_too_many_keys() {
        InMemoryLimits limits = limits(LimitStrategy.FIXED_WINDOW, 5, 10);
        for (int key = 0; key < 100; key++) {
            acquire(limits, key);
        }

        assertThat(warnings.messages()).hasSize(1);
        assertThat(warnings.messages().get(0)).contains("'rule'", "10 keys");
    }

    @Test
    void a_log_has_no_more_keys_than_a_quarter_of_the_heap_has_room_for() {
        InMemoryLimits limits = limits(LimitStrategy.SLIDING_LOG, 10_000, Long.MAX_VALUE);

        assertThat(limits.maxKeys()).isEqualTo(Runtime.getRuntime().maxMemory() / 4 / (8 * 10_000));
        assertThat(limits(LimitStrategy.FIXED_WINDOW, 10_000, Long.MAX_VALUE).maxKeys())
                .isEqualTo(Long.MAX_VALUE);
    }

    // C14: decision, remaining and reset come from one reading of a clock that jumps
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void one_decision_reads_the_clock_once(LimitStrategy strategy) {
        ManualTimeSource jumping = new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        TimeSource source =
                () -> {
                    jumping.advance(Duration.ofMillis(300));
                    return jumping.epochNanos();
                };
        Limit limit = new Limit(LimitConfig.of(2, SECOND), strategy.create());
        InMemoryLimits limits = new InMemoryLimits("rule", List.of(limit, limit), 10, source);
        for (int call = 0; call < 100; call++) {
            Charge charge = new Charge(limits, "key", 1);
            boolean admitted = limits.acquire(charge);

            assertThat(charge.epochNanos()).isEqualTo(jumping.epochNanos());
            if (!admitted) {
                assertThat(charge.retryNanos(0)).isPositive();
                assertThat(charge.remaining(0)).isZero();
                assertThat(charge.resetEpochSeconds(0))
                        .isGreaterThan(charge.epochNanos() / 1_000_000_000);
            }
            limits.sweep();
        }
    }
}
