package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

class LimitConfigTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void has_the_requests_as_its_burst_unless_told_otherwise() {
        LimitConfig config = LimitConfig.of(100, SECOND);

        assertThat(config.requests()).isEqualTo(100);
        assertThat(config.windowNanos()).isEqualTo(1_000_000_000);
        assertThat(config.burst()).isEqualTo(100);
        assertThat(config.withBurst(200).burst()).isEqualTo(200);
        assertThat(config.withBurst(200).requests()).isEqualTo(100);
        assertThat(config.withBurst(3).burst()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1_000_000_001, Long.MAX_VALUE, Long.MIN_VALUE})
    void refuses_requests_out_of_range(long requests) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitConfig.of(requests, SECOND))
                .withMessageContaining("requests")
                .withMessageContaining(Long.toString(requests));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1_000_000_001, Long.MAX_VALUE})
    void refuses_a_burst_out_of_range(long burst) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitConfig.of(1, SECOND).withBurst(burst))
                .withMessageContaining("burst")
                .withMessageContaining(Long.toString(burst));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999999S", "P366DT0.000000001S", "P100000000D"})
    void refuses_a_window_out_of_range(Duration window) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitConfig.of(1, window))
                .withMessageContaining("window")
                .withMessageContaining(window.toString());
    }

    @Test
    void takes_what_is_just_within_range() {
        assertThat(LimitConfig.of(1, Duration.ofMillis(1)).windowNanos()).isEqualTo(1_000_000);
        assertThat(LimitConfig.of(1_000_000_000, Duration.ofDays(366)).withBurst(1).burst())
                .isEqualTo(1);
        assertThat(LimitConfig.of(1, Duration.ofDays(366)).withBurst(1_000_000_000).burst())
                .isEqualTo(1_000_000_000);
    }

    @Test
    void equals_one_of_the_same_numbers() {
        LimitConfig config = LimitConfig.of(5, SECOND);

        assertThat(config)
                .isEqualTo(LimitConfig.of(5, Duration.ofMillis(1000)))
                .hasSameHashCodeAs(LimitConfig.of(5, Duration.ofMillis(1000)))
                .isNotEqualTo(LimitConfig.of(6, SECOND))
                .isNotEqualTo(LimitConfig.of(5, Duration.ofSeconds(2)))
                .isNotEqualTo(config.withBurst(6))
                .isNotEqualTo(config.withBurst(5));
        assertThat(config).hasToString("5 per PT1S");
        assertThat(config.withBurst(6)).hasToString("5 per PT1S, burst 6");
    }

    @ParameterizedTest
    @EnumSource(value = LimitStrategy.class, mode = Mode.EXCLUDE, names = "TOKEN_BUCKET")
    void only_a_token_bucket_has_a_burst(LimitStrategy strategy) {
        LimitConfig config = LimitConfig.of(5, SECOND).withBurst(7);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Limit(config, strategy.create()))
                .withMessageContaining("burst")
                .withMessageContaining(strategy.name())
                .withMessageContaining("7");
    }

    @Test
    void a_log_has_at_most_10_000_requests() {
        RateLimitStrategy log = LimitStrategy.SLIDING_LOG.create();

        assertThat(new Limit(LimitConfig.of(10_000, SECOND), log).strategy()).isSameAs(log);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Limit(LimitConfig.of(10_001, SECOND), log))
                .withMessageContaining("requests")
                .withMessageContaining("10001");
    }
}
