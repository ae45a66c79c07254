package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.Decision;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads spend several permits at a time and give them back. What they hold together is never more
 * than the capacity, and when all is given back, all is there again.
 */
class HeldPermitsTest {

    private static final int THREADS = 8;
    private static final int CAPACITY = 10;
    private static final long NOW_NANOS = Duration.ofDays(20_000).toNanos();
    private static final TimeSource STANDING = () -> NOW_NANOS;

    private static Limit limit(long requests, LimitStrategy strategy) {
        return new Limit(LimitConfig.of(requests, Duration.ofHours(1)), strategy.create());
    }

    static Stream<List<Limit>> limits() {
        List<List<Limit>> all = new ArrayList<>();
        for (LimitStrategy strategy : LimitStrategy.values()) {
            all.add(List.of(limit(CAPACITY, strategy)));
        }
        all.add(
                List.of(
                        limit(2 * CAPACITY, LimitStrategy.SLIDING_WINDOW),
                        limit(CAPACITY, LimitStrategy.SLIDING_LOG),
                        limit(CAPACITY + 1, LimitStrategy.TOKEN_BUCKET)));
        all.add(
                List.of(
                        limit(CAPACITY, LimitStrategy.TOKEN_BUCKET),
                        limit(CAPACITY, LimitStrategy.FIXED_WINDOW)));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void neverMoreThanTheCapacityIsHeldAndNothingStaysLost(List<Limit> limits) {
        ManuallySwept swept = new ManuallySwept(STANDING, 1_000, limits.toArray(Limit[]::new));
        RateLimiter limiter = swept.limiter();
        AtomicLong held = new AtomicLong();
        try (Race.Background sweeping = new Race.Background(swept::sweep)) {
            Race.run(
                    THREADS,
                    thread -> {
                        Random random = new Random(thread);
                        Deque<Decision> mine = new ArrayDeque<>();
                        for (int i = 0; i < Stress.times(20_000, 2_000_000); i++) {
                            if (random.nextBoolean()) {
                                long permits = 1 + random.nextInt(4);
                                Decision decision = limiter.tryAcquire("key", permits);
                                if (decision.allowed()) {
                                    mine.add(decision);
                                    assertThat(held.addAndGet(permits))
                                            .isLessThanOrEqualTo(CAPACITY);
                                }
                            } else {
                                giveBack(limiter, mine.poll(), held);
                            }
                        }
                        for (Decision decision : mine) {
                            giveBack(limiter, decision, held);
                        }
                    });
        }
        assertThat(limiter.peek("key").remaining()).isEqualTo(limiter.peek("key").limit());
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(limiter.tryAcquire("key").allowed()).isTrue();
        }
        assertThat(limiter.tryAcquire("key").allowed()).isFalse();
    }

    private static void giveBack(RateLimiter limiter, Decision decision, AtomicLong held) {
        if (decision != null) {
            held.addAndGet(-decision.permits());
            limiter.refund("key", decision);
        }
    }

    @Test
    void severalRulesAdmitAllOrNothing() {
        try (InMemoryStore store = new InMemoryStore(STANDING);
                KeyedLimits perUser =
                        store.open(
                                "per-user",
                                List.of(limit(CAPACITY, LimitStrategy.TOKEN_BUCKET)),
                                1_000);
                KeyedLimits perDay =
                        store.open(
                                "per-day",
                                List.of(
                                        limit(2 * CAPACITY, LimitStrategy.FIXED_WINDOW),
                                        limit(CAPACITY, LimitStrategy.SLIDING_LOG)),
                                1_000)) {
            AtomicLong held = new AtomicLong();
            Race.run(
                    THREADS,
                    thread -> {
                        Random random = new Random(thread);
                        for (int i = 0; i < Stress.times(10_000, 500_000); i++) {
                            long permits = 1 + random.nextInt(4);
                            List<Charge> charges =
                                    new ArrayList<>(
                                            List.of(
                                                    new Charge(perUser, "key", permits),
                                                    new Charge(perDay, "key", permits)));
                            if (thread % 2 == 0) {
                                // Two orders, so that each rule is the one that comes too late.
                                charges.add(charges.remove(0));
                            }
                            if (store.acquire(charges)) {
                                assertThat(held.addAndGet(permits)).isLessThanOrEqualTo(CAPACITY);
                                held.addAndGet(-permits);
                                charges.forEach(charge -> charge.limits().refund(charge));
                            } else {
                                assertThat(charges).anyMatch(charge -> !charge.allowed());
                            }
                        }
                    });
            for (KeyedLimits limits : List.of(perUser, perDay)) {
                Charge whole = new Charge(limits, "key", CAPACITY);
                assertThat(limits.acquire(whole)).isTrue();
                assertThat(limits.acquire(new Charge(limits, "key", 1))).isFalse();
            }
        }
    }

    /** Time passes here, so that places in the ring are used again while stamps move. */
    @Test
    void refundsToASlidingLogNeverLetMoreThanItsRequestsIntoAWindow() {
        long windowNanos = Duration.ofMillis(1).toNanos();
        Limit limit =
                new Limit(
                        LimitConfig.of(CAPACITY, Duration.ofMillis(1)),
                        LimitStrategy.SLIDING_LOG.create());
        TimeSource timeSource = TimeSource.system();
        RateLimiter limiter = new ManuallySwept(timeSource, 1_000, limit).limiter();
        Admissions kept = new Admissions();
        long endNanos = System.nanoTime() + Duration.ofMillis(Stress.times(500, 15_000)).toNanos();
        Race.run(
                THREADS,
                thread -> {
                    Random random = new Random(thread);
                    Admissions mine = new Admissions();
                    Decision last = null;
                    long lastReturnedNanos = 0;
                    while (System.nanoTime() < endNanos) {
                        Decision decision = limiter.tryAcquire("key");
                        if (decision.allowed()) {
                            long returnedNanos = timeSource.epochNanos();
                            if (last != null && random.nextBoolean()) {
                                limiter.refund("key", last);
                            } else if (last != null) {
                                mine.add(last.epochNanos(), lastReturnedNanos);
                            }
                            last = decision;
                            lastReturnedNanos = returnedNanos;
                        }
                    }
                    synchronized (kept) {
                        kept.addAll(mine);
                    }
                });
        assertThat(kept.violationsOfSlidingLog(CAPACITY, windowNanos)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsGivenBackWhileItsKeyIsForgottenIsNotForgotten(LimitStrategy strategy) {
        ManuallySwept swept = new ManuallySwept(STANDING, 1_000, limit(1, strategy));
        RateLimiter limiter = swept.limiter();
        AtomicLong held = new AtomicLong();
        try (Race.Background sweeping = new Race.Background(swept::sweep)) {
            Race.run(
                    // No more, so that the sweep takes part all the time.
                    2,
                    thread -> {
                        for (int i = 0; i < Stress.times(200_000, 10_000_000); i++) {
                            Decision decision = limiter.tryAcquire("key");
                            if (decision.allowed()) {
                                assertThat(held.incrementAndGet()).isEqualTo(1);
                                giveBack(limiter, decision, held);
                            }
                        }
                    });
        }
        assertThat(limiter.tryAcquire("key").allowed()).isTrue();
        assertThat(limiter.tryAcquire("key").allowed()).isFalse();
    }
}
