package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterBuilderTest {

    private static RateLimiter.Builder builder() {
        return RateLimiter.builder("search");
    }

    @Test
    void builds_a_fixed_window_on_system_time_by_default() {
        try (RateLimiter limiter = builder().limit(2, 1, TimeUnit.DAYS).build()) {
            Decision decision = limiter.tryAcquire("key");

            assertThat(limiter.name()).isEqualTo("search");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.limit()).isEqualTo(2);
            assertThat(decision.resetEpochSeconds() % 86_400).isZero();
            assertThat(Instant.ofEpochSecond(0, decision.epochNanos()))
                    .isBetween(Instant.now().minusSeconds(10), Instant.now().plusSeconds(10));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"search", "a", "A.b_c-9", "Type.method"})
    void takes_a_name(String name) {
        try (RateLimiter limiter = RateLimiter.builder(name).limit(1, 1, TimeUnit.DAYS).build()) {
            assertThat(limiter.name()).isEqualTo(name);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a/b",
                "é",
                "12345678901234567890123456789012345678901234567890123456789012345"
            })
    void refuses_another_name(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimiter.builder(name))
                .withMessageContaining("name")
                .withMessageContaining("'" + name + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, SECONDS, requests, 0",
        "1000000001, 1, SECONDS, requests, 1000000001",
        "1, 0, SECONDS, window, 0 SECONDS",
        "1, -1, SECONDS, window, -1 SECONDS",
        "1, 999, MICROSECONDS, window, 999 MICROSECONDS",
        "1, 367, DAYS, window, 367 DAYS",
        "1, 9223372036854775807, DAYS, window, 9223372036854775807 DAYS",
        "1, -9223372036854775808, DAYS, window, -9223372036854775808 DAYS"
    })
    void names_what_is_out_of_range(
            long requests, long window, TimeUnit unit, String argument, String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().limit(requests, window, unit))
                .withMessageContaining(argument)
                .withMessageContaining(value);
    }

    @Test
    void refuses_to_build_without_a_limit() {
        assertThatIllegalStateException()
                .isThrownBy(() -> builder().build())
                .withMessageContaining("search");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void refuses_to_keep_no_keys(long maxKeys) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().maxKeys(maxKeys))
                .withMessageContaining("maxKeys")
                .withMessageContaining(Long.toString(maxKeys));
    }

    @Test
    void refuses_a_burst_where_there_is_none() {
        LimitConfig burst = LimitConfig.of(1, Duration.ofSeconds(1)).withBurst(2);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().limit(burst, LimitStrategy.FIXED_WINDOW.create()))
                .withMessageContaining("burst");
    }

    @ParameterizedTest
    @EnumSource(TimeUnit.class)
    void takes_a_window_in_any_unit(TimeUnit unit) {
        long window = unit.convert(Duration.ofDays(1));
        try (RateLimiter limiter = builder().limit(1, window, unit).build()) {
            assertThat(limiter.tryAcquire("key").allowed()).isTrue();
        }
    }
}
