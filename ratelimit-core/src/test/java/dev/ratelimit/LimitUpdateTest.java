package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LimitUpdateTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));

    private InMemoryLimits limits(LimitConfig config, RateLimitStrategy strategy) {
        return new InMemoryLimits("rule", List.of(new Limit(config, strategy)), 100, time);
    }

    private InMemoryLimits tenPerMinute(LimitStrategy strategy) {
        return limits(LimitConfig.of(10, MINUTE), strategy.create());
    }

    private static boolean acquire(InMemoryLimits limits, long permits) {
        return limits.acquire(new Charge(limits, "key", permits));
    }

    private static long remaining(InMemoryLimits limits) {
        Charge charge = new Charge(limits, "key", 1);
        limits.peek(charge);
        return charge.remaining(0);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void keeps_what_was_spent_when_raised(LimitStrategy strategy) {
        InMemoryLimits limits = tenPerMinute(strategy);
        acquire(limits, 4);
        limits.update(LimitConfig.of(100, MINUTE));

        assertThat(remaining(limits)).isEqualTo(96);
        assertThat(acquire(limits, 97)).isFalse();
        assertThat(acquire(limits, 96)).isTrue();
        assertThat(limits.size()).isEqualTo(1);
        assertThat(limits.limits().get(0).config().requests()).isEqualTo(100);
    }

    // C37
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void keeps_what_was_spent_when_lowered(LimitStrategy strategy) {
        InMemoryLimits limits = tenPerMinute(strategy);
        acquire(limits, 4);
        limits.update(LimitConfig.of(5, MINUTE));
        assertThat(remaining(limits)).isEqualTo(1);

        limits.update(LimitConfig.of(2, MINUTE));
        assertThat(remaining(limits)).isZero();
        assertThat(acquire(limits, 1)).isFalse();
        assertThat(acquire(limits, 3)).isFalse();
        limits.sweep();
        assertThat(limits.size()).isEqualTo(1);

        for (int window = 0; window < 3; window++) {
            time.advance(MINUTE.multipliedBy(2));
            assertThat(acquire(limits, 2)).isTrue();
            assertThat(acquire(limits, 1)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void keeps_what_was_spent_under_a_longer_window(LimitStrategy strategy) {
        InMemoryLimits limits = tenPerMinute(strategy);
        acquire(limits, 4);
        limits.update(LimitConfig.of(10, Duration.ofHours(1)));

        assertThat(remaining(limits)).isEqualTo(6);
        time.advance(MINUTE);
        assertThat(remaining(limits)).isEqualTo(6);
        assertThat(acquire(limits, 7)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void keeps_what_was_spent_under_a_shorter_window(LimitStrategy strategy) {
        InMemoryLimits limits = tenPerMinute(strategy);
        acquire(limits, 4);
        limits.update(LimitConfig.of(10, Duration.ofSeconds(1)));

        assertThat(remaining(limits)).isEqualTo(6);
        time.advance(Duration.ofSeconds(2));
        assertThat(remaining(limits)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_key_that_has_spent_nothing_starts_full(LimitStrategy strategy) {
        InMemoryLimits limits = tenPerMinute(strategy);
        acquire(limits, 10);
        time.advance(MINUTE.multipliedBy(2));
        limits.update(LimitConfig.of(7, Duration.ofSeconds(90)));

        assertThat(remaining(limits)).isEqualTo(7);
        assertThat(acquire(limits, 7)).isTrue();
    }

    @Test
    void a_token_bucket_keeps_a_fraction_of_a_permit() {
        InMemoryLimits limits = tenPerMinute(LimitStrategy.TOKEN_BUCKET);
        acquire(limits, 10);
        time.advance(Duration.ofSeconds(3));
        limits.update(LimitConfig.of(60, MINUTE).withBurst(10));

        assertThat(remaining(limits)).isZero();
        time.advance(Duration.ofMillis(499));
        assertThat(remaining(limits)).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(remaining(limits)).isEqualTo(1);
    }

    @Test
    void a_strategy_of_ones_own_keeps_its_remaining_permits_too() {
        InMemoryLimits limits = limits(LimitConfig.of(10, MINUTE), CustomStrategyTest.COUNT_DOWN);
        acquire(limits, 4);
        limits.update(LimitConfig.of(5, MINUTE));

        assertThat(remaining(limits)).isEqualTo(1);
        limits.update(LimitConfig.of(2, MINUTE));
        assertThat(remaining(limits)).isZero();
    }

    @Test
    void refuses_numbers_that_the_strategy_cannot_work_with() {
        InMemoryLimits limits = tenPerMinute(LimitStrategy.SLIDING_LOG);
        acquire(limits, 4);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.update(LimitConfig.of(10_001, MINUTE)))
                .withMessageContaining("10001");
        assertThat(remaining(limits)).isEqualTo(6);
    }

    @Test
    void refuses_to_update_one_of_several_limits() {
        Limit limit = new Limit(LimitConfig.of(10, MINUTE), LimitStrategy.FIXED_WINDOW.create());
        InMemoryLimits limits = new InMemoryLimits("rule", List.of(limit, limit), 100, time);

        assertThatIllegalStateException()
                .isThrownBy(() -> limits.update(LimitConfig.of(5, MINUTE)))
                .withMessageContaining("rule")
                .withMessageContaining("2");
    }
}
