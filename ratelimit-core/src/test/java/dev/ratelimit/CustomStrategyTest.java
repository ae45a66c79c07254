package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A strategy of one's own, as small as can be: a lambda. */
class CustomStrategyTest {

    /** So many for ever. */
    static final RateLimitStrategy COUNT_DOWN =
            (bucket, config, permits, nowNanos, out) -> {
                long spent;
                boolean allowed;
                do {
                    spent = bucket.slot0();
                    allowed = permits <= config.burst() - spent;
                } while (allowed
                        && permits > 0
                        && !bucket.compareAndSetSlot0(spent, spent + permits));
                out[RateLimitStrategy.REMAINING] = config.burst() - spent - (allowed ? permits : 0);
                out[RateLimitStrategy.RESET] = nowNanos / 1_000_000_000 + 60;
                out[RateLimitStrategy.RETRY_NANOS] = allowed ? 0 : -1;
                return allowed;
            };

    private static final LimitConfig FIVE = LimitConfig.of(5, Duration.ofMinutes(1));

    private final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:00.5Z"));

    private RateLimiter limiter() {
        return RateLimiter.builder("custom").limit(FIVE, COUNT_DOWN).timeSource(time).build();
    }

    private InMemoryLimits limits(RateLimitStrategy strategy) {
        return new InMemoryLimits("custom", List.of(new Limit(FIVE, strategy)), 100, time);
    }

    @Test
    void decides() {
        try (RateLimiter limiter = limiter()) {
            assertThat(limiter.tryAcquire("key", 4).remaining()).isEqualTo(1);
            assertThat(limiter.tryAcquire("key", 2).retryAfter()).isNegative();
            assertThat(limiter.tryAcquire("key").allowed()).isTrue();
            assertThat(limiter.tryAcquire("another").allowed()).isTrue();
        }
    }

    @Test
    void is_believed_whatever_it_writes() {
        RateLimitStrategy silent = (bucket, config, permits, nowNanos, out) -> permits == 0;
        RateLimitStrategy absurd =
                (bucket, config, permits, nowNanos, out) -> {
                    out[RateLimitStrategy.REMAINING] = Long.MIN_VALUE;
                    out[RateLimitStrategy.RESET] = Long.MIN_VALUE;
                    out[RateLimitStrategy.RETRY_NANOS] = Long.MIN_VALUE;
                    return true;
                };
        Charge refused = new Charge(limits(silent), "key", 1);
        assertThat(refused.limits().acquire(refused)).isFalse();
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.decision().retryAfter()).isPositive();

        Charge allowed = new Charge(limits(absurd), "key", 1);
        assertThat(allowed.limits().acquire(allowed)).isTrue();
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.decision().retryAfter()).isZero();
        assertThat(allowed.decision().remaining()).isZero();
        assertThat(allowed.decision().resetEpochSeconds())
                .isEqualTo(Seconds.ceil(time.epochNanos(), 0));
    }

    @Test
    void works_beside_a_built_in_one() {
        try (RateLimiter limiter =
                RateLimiter.builder("custom")
                        .limit(FIVE, COUNT_DOWN)
                        .limit(FIVE, LimitStrategy.FIXED_WINDOW.create())
                        .timeSource(time)
                        .build()) {
            assertThat(limiter.tryAcquire("key", 4).remaining()).isEqualTo(1);
            time.advance(Duration.ofMinutes(1));
            assertThat(limiter.tryAcquire("key", 2).allowed()).isFalse();
            assertThat(limiter.tryAcquire("key", 1).allowed()).isTrue();
        }
    }

    @Test
    void gives_nothing_back_by_default() {
        try (RateLimiter limiter = limiter()) {
            limiter.refund("key", limiter.tryAcquire("key", 4));

            assertThat(limiter.peek("key").remaining()).isEqualTo(1);
        }
    }

    @Test
    void is_idle_by_default_when_its_whole_capacity_remains() {
        Bucket bucket = COUNT_DOWN.newBucket(FIVE);

        assertThat(COUNT_DOWN.isIdle(bucket, FIVE, 0)).isTrue();
        COUNT_DOWN.check(bucket, FIVE, 1, 0, new long[3]);
        assertThat(COUNT_DOWN.isIdle(bucket, FIVE, 0)).isFalse();
    }

    @Test
    void is_forgotten_only_when_idle() {
        InMemoryLimits limits = limits(COUNT_DOWN);
        limits.acquire(new Charge(limits, "key", 1));
        limits.acquire(new Charge(limits, "refused", 6));
        limits.sweep();

        assertThat(limits.size()).isEqualTo(1);
    }

    @Test
    void tells_its_growth_in_whole_seconds() {
        InMemoryLimits limits = limits(COUNT_DOWN);
        Charge charge = new Charge(limits, "key", 5);
        limits.acquire(charge);
        assertThat(charge.growthNanos(0)).isEqualTo(Duration.ofMillis(59_500).toNanos());

        Charge peeked = new Charge(limits, "key", 1);
        limits.peek(peeked);
        assertThat(peeked.allowed()).isFalse();
        assertThat(peeked.retryNanos(0)).isEqualTo(charge.growthNanos(0));
        Charge full = new Charge(limits, "another", 1);
        limits.peek(full);
        assertThat(full.growthNanos(0)).isZero();
    }

    // C37
    @Test
    void one_that_cannot_tell_whether_it_is_idle_does_not_stop_the_sweep() {
        InMemoryLimits limits = limits(new Poisoned());
        limits.acquire(new Charge(limits, "a", 1));
        limits.acquire(new Charge(limits, "poison", 2));
        limits.acquire(new Charge(limits, "z", 1));
        try (CapturedWarnings warnings = new CapturedWarnings(InMemoryLimits.class)) {
            limits.sweep();
            limits.sweep();

            assertThat(warnings.messages()).hasSize(1);
            assertThat(warnings.messages().get(0)).contains("'custom'");
        }
        assertThat(limits.size()).isEqualTo(1);
        assertThat(limits.acquire(new Charge(limits, "poison", 1))).isTrue();
    }

    /** Idle at once, but for buckets from which two permits were spent at a time. */
    static final class Poisoned implements RateLimitStrategy {

        @Override
        public boolean check(
                Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
            out[REMAINING] = config.burst();
            out[RETRY_NANOS] = 0;
            return permits != 2 || bucket.compareAndSetSlot0(0, 2);
        }

        @Override
        public boolean isIdle(Bucket bucket, LimitConfig config, long nowNanos) {
            if (bucket.slot0() == 2) {
                throw new IllegalStateException("poisoned");
            }
            return true;
        }
    }
}
