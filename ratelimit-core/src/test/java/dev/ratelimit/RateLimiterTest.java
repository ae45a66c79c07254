package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final ManualTimeSource time = new ManualTimeSource(START);
    private RateLimiter limiter = limiter(LimitStrategy.TOKEN_BUCKET);

    private RateLimiter limiter(LimitStrategy strategy) {
        return RateLimiter.builder("search")
                .limit(5, 10, TimeUnit.SECONDS, strategy)
                .timeSource(time)
                .build();
    }

    private RateLimiter fivePerSecondAndSixPerMinute() {
        return RateLimiter.builder("search")
                .limit(5, 1, TimeUnit.SECONDS)
                .limit(6, 1, TimeUnit.MINUTES, LimitStrategy.SLIDING_LOG)
                .timeSource(time)
                .build();
    }

    @AfterEach
    void close() {
        limiter.close();
    }

    @Test
    void tells_all_of_a_decision() {
        time.advance(Duration.ofMillis(1));
        Decision decision = limiter.tryAcquire("key", 2);

        assertThat(decision.allowed()).isTrue();
        assertThat(decision.limit()).isEqualTo(5);
        assertThat(decision.remaining()).isEqualTo(3);
        assertThat(decision.resetEpochSeconds()).isEqualTo(START.getEpochSecond() + 3);
        assertThat(decision.retryAfter()).isZero();
        assertThat(decision.permits()).isEqualTo(2);
        assertThat(decision.epochNanos()).isEqualTo(time.epochNanos());
        assertThat(decision).asString().contains("allowed", "3 of 5");

        Decision refused = limiter.tryAcquire("key", 4);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.remaining()).isEqualTo(3);
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(2));
        assertThat(refused.permits()).isEqualTo(4);
        assertThat(refused).asString().contains("rejected", "PT2S");
    }

    @Test
    void tells_the_same_in_an_array() {
        long[] out = new long[3];

        assertThat(limiter.tryAcquire("key", 5, out)).isTrue();
        assertThat(out).containsExactly(0, START.getEpochSecond() + 2, 0);
        assertThat(limiter.tryAcquire("key", 2, out)).isFalse();
        assertThat(out).containsExactly(0, START.getEpochSecond() + 2, 4_000_000_000L);
        assertThat(limiter.tryAcquire("key", 6, out)).isFalse();
        assertThat(out).containsExactly(0, START.getEpochSecond() + 2, -1);
    }

    @Test
    void keys_do_not_share() {
        assertThat(limiter.tryAcquire("a", 5).allowed()).isTrue();
        assertThat(limiter.tryAcquire("b", 5).allowed()).isTrue();
        assertThat(limiter.tryAcquire("a").allowed()).isFalse();
        assertThat(limiter.size()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void more_than_the_capacity_is_never_admitted(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        Decision decision = limiter.tryAcquire("key", 6);

        assertThat(decision.allowed()).isFalse();
        assertThat(decision.retryAfter()).isNegative();
        assertThat(decision.remaining()).isEqualTo(5);
        assertThat(decision).asString().contains("never");
        assertThat(limiter.tryAcquire("key", Long.MAX_VALUE).retryAfter()).isNegative();
        assertThat(limiter.tryAcquire("key", 5).allowed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void refuses_to_spend_less_than_one_permit(long permits) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire("key", permits))
                .withMessageContaining("permits")
                .withMessageContaining(Long.toString(permits));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire("key", permits, new long[3]))
                .withMessageContaining("permits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.acquire("key", permits, Duration.ZERO))
                .withMessageContaining("permits");
    }

    @Test
    void refuses_an_array_without_room_for_the_answer() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire("key", 1, new long[2]))
                .withMessageContaining("out")
                .withMessageContaining("2");
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_peek_changes_nothing_and_makes_no_key(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        Decision peeked = limiter.peek("key");

        assertThat(peeked.allowed()).isTrue();
        assertThat(peeked.remaining()).isEqualTo(5);
        assertThat(peeked.permits()).isZero();
        assertThat(limiter.size()).isZero();

        limiter.tryAcquire("key", 5);
        Decision exhausted = limiter.peek("key");
        assertThat(exhausted.allowed()).isFalse();
        assertThat(exhausted.remaining()).isZero();
        assertThat(exhausted.retryAfter()).isEqualTo(limiter.tryAcquire("key").retryAfter());
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_refund_gives_back_what_was_spent(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        Decision decision = limiter.tryAcquire("key", 3);
        limiter.tryAcquire("key", 1);
        limiter.refund("key", decision);

        assertThat(limiter.peek("key").remaining()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_refund_of_what_was_not_spent_gives_nothing(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        Decision peeked = limiter.peek("key");
        limiter.tryAcquire("key", 4);
        Decision refused = limiter.tryAcquire("key", 2);
        limiter.refund("key", peeked);
        limiter.refund("key", refused);

        assertThat(limiter.peek("key").remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_refund_after_a_reset_gives_nothing(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        Decision decision = limiter.tryAcquire("key", 3);
        limiter.reset("key");
        limiter.tryAcquire("key", 4);
        limiter.refund("key", decision);

        assertThat(limiter.peek("key").remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_refund_of_an_expired_charge_gives_nothing(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        Decision decision = limiter.tryAcquire("key", 3);
        time.advance(Duration.ofSeconds(20));
        limiter.tryAcquire("key", 4);
        limiter.refund("key", decision);

        assertThat(limiter.peek("key").remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_thread_whose_reading_of_the_clock_lags_behind_gets_the_last_permit(
            LimitStrategy strategy) {
        long now = time.epochNanos();
        Iterator<Long> readings = List.of(now + 1_000, now, now + 1_000, now + 1_000).iterator();
        try (RateLimiter lagging =
                RateLimiter.builder("search")
                        .limit(2, 10, TimeUnit.SECONDS, strategy)
                        .timeSource(readings::next)
                        .build()) {
            assertThat(lagging.tryAcquire("key", 1, new long[3])).isTrue();
            assertThat(lagging.tryAcquire("key", 1, new long[3])).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void so_does_one_that_asks_several_rules_at_once(LimitStrategy strategy) {
        long now = time.epochNanos();
        Iterator<Long> readings = List.of(now + 1_000, now, now + 1_000, now + 1_000).iterator();
        InMemoryStore store = new InMemoryStore(readings::next);
        Limit scarce = new Limit(LimitConfig.of(2, Duration.ofSeconds(10)), strategy.create());
        Limit ample = new Limit(LimitConfig.of(5, Duration.ofSeconds(10)), strategy.create());
        try (KeyedLimits first = store.open("first", List.of(ample), 10);
                KeyedLimits second = store.open("second", List.of(scarce), 10)) {
            for (int i = 0; i < 2; i++) {
                assertThat(
                                store.acquire(
                                        List.of(
                                                new Charge(first, "key", 1),
                                                new Charge(second, "key", 1))))
                        .isTrue();
            }
        }
    }

    @Test
    void a_refund_to_another_key_or_limiter_is_refused() {
        Decision decision = limiter.tryAcquire("key");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.refund("another", decision))
                .withMessageContaining("another");
        try (RateLimiter other = limiter(LimitStrategy.TOKEN_BUCKET)) {
            assertThatIllegalArgumentException().isThrownBy(() -> other.refund("key", decision));
        }
        assertThat(limiter.peek("key").remaining()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_reset_makes_one_key_new(LimitStrategy strategy) {
        limiter.close();
        limiter = limiter(strategy);
        limiter.tryAcquire("a", 5);
        limiter.tryAcquire("b", 5);
        limiter.reset("a");
        limiter.reset("unknown");

        assertThat(limiter.size()).isEqualTo(1);
        assertThat(limiter.tryAcquire("a", 5).allowed()).isTrue();
        assertThat(limiter.tryAcquire("b").allowed()).isFalse();
    }

    @Test
    void several_limits_are_spent_all_or_nothing() {
        limiter.close();
        limiter = fivePerSecondAndSixPerMinute();
        assertThat(limiter.tryAcquire("key", 5).allowed()).isTrue();
        assertThat(limiter.tryAcquire("key").allowed()).isFalse();

        time.advance(Duration.ofSeconds(1));
        assertThat(limiter.tryAcquire("key", 2).allowed()).isFalse();
        assertThat(limiter.tryAcquire("key").allowed()).isTrue();
        assertThat(limiter.tryAcquire("key").retryAfter()).isEqualTo(Duration.ofSeconds(59));
        time.advance(Duration.ofSeconds(59));
        assertThat(limiter.tryAcquire("key", 5).allowed()).isTrue();
    }

    @Test
    void of_several_limits_the_strictest_decides() {
        limiter.close();
        limiter = fivePerSecondAndSixPerMinute();
        Decision first = limiter.tryAcquire("key");
        assertThat(first.limit()).isEqualTo(5);
        assertThat(first.remaining()).isEqualTo(4);

        time.advance(Duration.ofSeconds(1));
        Decision second = limiter.tryAcquire("key");
        assertThat(second.limit()).isEqualTo(6);
        assertThat(second.remaining()).isEqualTo(4);

        Decision waits = limiter.tryAcquire("key", 5);
        assertThat(waits.limit()).isEqualTo(6);
        assertThat(waits.retryAfter()).isEqualTo(Duration.ofSeconds(59));
        Decision never = limiter.tryAcquire("key", 6);
        assertThat(never.limit()).isEqualTo(5);
        assertThat(never.retryAfter()).isNegative();

        long[] out = new long[3];
        assertThat(limiter.tryAcquire("key", 5, out)).isFalse();
        assertThat(out[RateLimitStrategy.RETRY_NANOS]).isEqualTo(59_000_000_000L);
        assertThat(out[RateLimitStrategy.REMAINING]).isEqualTo(waits.remaining());
        assertThat(out[RateLimitStrategy.RESET]).isEqualTo(waits.resetEpochSeconds());
    }

    @Test
    void of_equally_strict_limits_the_later_reset_decides_and_then_the_order() {
        limiter.close();
        limiter =
                RateLimiter.builder("search")
                        .limit(5, 1, TimeUnit.SECONDS)
                        .limit(10, 1, TimeUnit.MINUTES)
                        .limit(15, 1, TimeUnit.MINUTES)
                        .timeSource(time)
                        .build();

        assertThat(limiter.peek("key").limit()).isEqualTo(5);
        assertThat(limiter.tryAcquire("key").limit()).isEqualTo(5);
        assertThat(limiter.tryAcquire("key", 20).limit()).isEqualTo(10);
    }
}
