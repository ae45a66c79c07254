package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.RateLimitStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Buckets in Redis that were written under other numbers than an instance has now. */
class ChangedNumbersTest {

    private static final Duration MICROSECOND = Duration.ofNanos(1_000);

    private static final LimitConfig PER_MINUTE = LimitConfig.of(10, Duration.ofMinutes(1));

    private final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:07.123456Z"));
    private final RateLimitStore store = ManualRedis.askingStore(time, ManualRedis.newPrefix());

    @AfterEach
    void close() {
        store.close();
    }

    private KeyedLimits open(LimitStrategy strategy, LimitConfig config) {
        return store.open("rule", List.of(new Limit(config, strategy.create())), 1);
    }

    private static Charge acquire(KeyedLimits limits, long permits) {
        Charge charge = new Charge(limits, "key", permits);
        limits.acquire(charge);
        return charge;
    }

    static Stream<Arguments> changes() {
        return Arrays.stream(LimitStrategy.values())
                .flatMap(
                        strategy ->
                                Stream.of(
                                                LimitConfig.of(10, Duration.ofSeconds(1)),
                                                LimitConfig.of(10, Duration.ofSeconds(7)),
                                                LimitConfig.of(10, Duration.ofHours(1)),
                                                LimitConfig.of(3, Duration.ofMinutes(1)),
                                                LimitConfig.of(3, Duration.ofSeconds(1)),
                                                LimitConfig.of(3, Duration.ofHours(1)))
                                        .map(config -> Arguments.of(strategy, config)));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void who_was_refused_and_waits_as_told_is_admitted(LimitStrategy strategy, LimitConfig after) {
        for (long permits = 1; permits <= 3; permits++) {
            KeyedLimits limits = open(strategy, PER_MINUTE);
            limits.reset("key");
            acquire(limits, 4);
            time.advance(Duration.ofMillis(300));
            acquire(limits, 6);
            time.advance(Duration.ofMillis(10));
            limits.update(after);

            Charge refused = acquire(limits, permits);
            assertThat(refused.allowed()).isFalse();
            assertThat(refused.remaining(0)).isZero();
            time.advance(Duration.ofNanos(refused.retryNanos(0)).minus(MICROSECOND));
            assertThat(acquire(limits, permits).allowed()).isFalse();
            time.advance(MICROSECOND);
            assertThat(acquire(limits, permits).allowed()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("changes")
    void an_instance_that_only_refuses_gives_another_nothing(
            LimitStrategy strategy, LimitConfig tighter) {
        KeyedLimits one = open(strategy, PER_MINUTE);
        KeyedLimits other = open(strategy, tighter);
        acquire(one, 10);

        for (int i = 0; i < 5; i++) {
            time.advance(Duration.ofMillis(20));
            assertThat(acquire(other, 1).allowed()).isFalse();
            other.peek(new Charge(other, "key", 1));
            assertThat(acquire(one, 1).allowed()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("changes")
    void a_charge_from_before_the_change_is_not_given_back(
            LimitStrategy strategy, LimitConfig after) {
        KeyedLimits limits = open(strategy, PER_MINUTE);
        Charge before = acquire(limits, 10);
        limits.update(after);
        limits.refund(before);

        assertThat(acquire(limits, 1).allowed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void more_requests_help_at_once(LimitStrategy strategy) {
        KeyedLimits limits = open(strategy, PER_MINUTE);
        acquire(limits, 10);
        limits.update(LimitConfig.of(15, Duration.ofMinutes(1)));

        assertThat(acquire(limits, 5).remaining(0)).isZero();
        assertThat(acquire(limits, 1).allowed()).isFalse();
    }
}
