package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Bucket;
import dev.ratelimit.Decision;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Idle keys are forgotten in a tight loop while four threads spend from them, by the system's clock
 * and with limits so short that keys are idle all the time. No admission may get lost by that.
 */
class ForgettingTest {

    private static final int THREADS = 4;
    private static final int KEYS = 16;
    private static final int FEW_KEYS = 4;
    private static final int ANY_NUMBER = 1_000_000;
    private static final long WINDOW_NANOS = Duration.ofMillis(1).toNanos();
    private static final int BURST = 5;

    /** 25 per window. */
    private static final long PERIOD_NANOS = WINDOW_NANOS / 25;

    private static final LimitConfig PACED =
            LimitConfig.of(25, Duration.ofMillis(1)).withBurst(BURST);
    private static final LimitConfig COUNTED = LimitConfig.of(BURST, Duration.ofMillis(1));
    private static final Limit TOKEN_BUCKET = new Limit(PACED, LimitStrategy.TOKEN_BUCKET.create());

    /** What is forgotten. */
    enum Rule {
        ONE_TOKEN_BUCKET(TOKEN_BUCKET),
        ONE_FIXED_WINDOW(new Limit(COUNTED, LimitStrategy.FIXED_WINDOW.create())),
        ONE_SLIDING_WINDOW(new Limit(COUNTED, LimitStrategy.SLIDING_WINDOW.create())),
        ONE_SLIDING_LOG(new Limit(COUNTED, LimitStrategy.SLIDING_LOG.create())),
        ONE_LAMBDA(new Limit(PACED, ForgettingTest::checkInSecondSlot)),
        ONE_LAMBDA_OF_BOTH_SLOTS(new Limit(PACED, ForgettingTest::checkInBothSlots)),
        SEVERAL_LIMITS(
                new Limit(
                        LimitConfig.of(20, Duration.ofMillis(1)),
                        LimitStrategy.FIXED_WINDOW.create()),
                TOKEN_BUCKET);

        private final Limit[] limits;

        Rule(Limit... limits) {
            this.limits = limits;
        }

        int violations(Admissions admissions) {
            return switch (this) {
                case ONE_TOKEN_BUCKET, ONE_LAMBDA, ONE_LAMBDA_OF_BOTH_SLOTS ->
                        admissions.violationsOfTokenBucket(BURST, PERIOD_NANOS);
                case ONE_FIXED_WINDOW, ONE_SLIDING_WINDOW ->
                        admissions.violationsOfFixedWindow(BURST, WINDOW_NANOS);
                case ONE_SLIDING_LOG -> admissions.violationsOfSlidingLog(BURST, WINDOW_NANOS);
                case SEVERAL_LIMITS ->
                        admissions.violationsOfTokenBucket(BURST, PERIOD_NANOS)
                                + admissions.violationsOfFixedWindow(20, WINDOW_NANOS);
            };
        }
    }

    /** Reads the first slot too. */
    private static boolean checkInBothSlots(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        return checkInSecondSlot(bucket, config, permits, nowNanos - bucket.slot0(), out);
    }

    /** A token bucket as a user might write it; the first slot stays as it is. */
    private static boolean checkInSecondSlot(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        long periodNanos = config.windowNanos() / config.requests();
        for (; ; ) {
            long full = bucket.slot1();
            long debtNanos = Math.max(full - nowNanos, 0) + permits * periodNanos;
            long waitNanos = debtNanos - config.burst() * periodNanos;
            if (permits > 0 && waitNanos > 0) {
                out[REMAINING] = 0;
                out[RETRY_NANOS] = waitNanos;
                return false;
            }
            out[REMAINING] = config.burst() - (debtNanos + periodNanos - 1) / periodNanos;
            out[RETRY_NANOS] = 0;
            if (permits == 0 || bucket.compareAndSetSlot1(full, nowNanos + debtNanos)) {
                return true;
            }
        }
    }

    private static final int REMAINING = RateLimitStrategy.REMAINING;
    private static final int RETRY_NANOS = RateLimitStrategy.RETRY_NANOS;

    @ParameterizedTest
    @EnumSource
    void forgettingNeverLosesAnAdmission(Rule rule) {
        int longRun = rule == Rule.ONE_TOKEN_BUCKET ? 10_000_000 : 250_000;
        assertThat(violations(rule, ANY_NUMBER, longRun)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aKeyNeverSpendsFromItsOwnBucketAndASharedOne(Rule rule) {
        assertThat(violations(rule, FEW_KEYS, 250_000)).isZero();
    }

    private static int violations(Rule rule, int maxKeys, int longRun) {
        ManuallySwept swept = new ManuallySwept(TimeSource.system(), maxKeys, rule.limits);
        int admitted = 0;
        int violations = 0;
        while (admitted < Stress.times(15_000, longRun)) {
            List<Admissions> byKey =
                    admissions(
                            key -> {
                                Decision decision = swept.limiter().tryAcquire(key);
                                return decision.allowed() ? decision.epochNanos() : NOT_ADMITTED;
                            },
                            swept::sweep);
            for (Admissions admissions : byKey) {
                admitted += admissions.count();
                violations += rule.violations(admissions);
            }
            assertThat(swept.limiter().size()).isLessThanOrEqualTo(maxKeys);
        }
        return violations;
    }

    /** While the sweep looks at the bucket, its permit is given back, and another one spent. */
    @Test
    void aBucketThatChangesAndChangesBackMeanwhileIsNotForgotten() {
        RateLimitStrategy strategy = LimitStrategy.FIXED_WINDOW.create();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        RateLimitStrategy watched =
                new RateLimitStrategy() {
                    @Override
                    public boolean check(
                            Bucket bucket,
                            LimitConfig config,
                            long permits,
                            long nowNanos,
                            long[] out) {
                        return strategy.check(bucket, config, permits, nowNanos, out);
                    }

                    @Override
                    public void refund(
                            Bucket bucket,
                            LimitConfig config,
                            long permits,
                            long chargedAtNanos,
                            long nowNanos) {
                        strategy.refund(bucket, config, permits, chargedAtNanos, nowNanos);
                    }

                    @Override
                    public boolean isIdle(Bucket bucket, LimitConfig config, long nowNanos) {
                        meanwhile.get().run();
                        boolean idle = strategy.isIdle(bucket, config, nowNanos);
                        meanwhile.get().run();
                        return idle;
                    }
                };
        long nowNanos = Duration.ofDays(20_000).toNanos();
        Limit limit = new Limit(LimitConfig.of(1, Duration.ofHours(1)), watched);
        ManuallySwept swept = new ManuallySwept(() -> nowNanos, ANY_NUMBER, limit);
        Decision[] last = {swept.limiter().tryAcquire("key")};
        meanwhile.set(
                () -> {
                    if (swept.limiter().peek("key").allowed()) {
                        last[0] = swept.limiter().tryAcquire("key");
                    } else {
                        swept.limiter().refund("key", last[0]);
                    }
                });
        swept.sweep();
        assertThat(swept.limiter().tryAcquire("key").allowed()).isFalse();
    }

    /** What the tests above would find if idle buckets were simply removed. */
    @Test
    void removingIdleBucketsWouldLoseAdmissions() {
        RateLimitStrategy strategy = LimitStrategy.TOKEN_BUCKET.create();
        ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
        int violations = 0;
        for (int i = 0; i < 50 && violations == 0; i++) {
            List<Admissions> byKey =
                    admissions(
                            key -> {
                                Bucket bucket =
                                        buckets.computeIfAbsent(
                                                key, absent -> strategy.newBucket(PACED));
                                long nowNanos = TimeSource.system().epochNanos();
                                return strategy.check(bucket, PACED, 1, nowNanos, new long[3])
                                        ? nowNanos
                                        : NOT_ADMITTED;
                            },
                            () -> {
                                long nowNanos = TimeSource.system().epochNanos();
                                buckets.values()
                                        .removeIf(
                                                bucket -> strategy.isIdle(bucket, PACED, nowNanos));
                            });
            for (Admissions admissions : byKey) {
                violations += Rule.ONE_TOKEN_BUCKET.violations(admissions);
            }
        }
        assertThat(violations).isPositive();
    }

    private static final long NOT_ADMITTED = -1;

    /** Decides for a key: returns the time of an admission. */
    private interface Limiter {
        long tryAcquire(String key);
    }

    private static List<Admissions> admissions(Limiter limiter, Runnable forget) {
        Admissions[][] byThread = new Admissions[THREADS][KEYS];
        long endNanos = System.nanoTime() + Duration.ofMillis(200).toNanos();
        try (Race.Background forgetting = new Race.Background(forget)) {
            Race.run(
                    THREADS,
                    thread -> {
                        for (int key = 0; key < KEYS; key++) {
                            byThread[thread][key] = new Admissions();
                        }
                        int key = thread;
                        while (System.nanoTime() < endNanos) {
                            key = (key * 5 + 3) % KEYS;
                            long decidedNanos = limiter.tryAcquire("key-" + key);
                            if (decidedNanos != NOT_ADMITTED) {
                                byThread[thread][key].add(
                                        decidedNanos, TimeSource.system().epochNanos());
                            }
                        }
                    });
        }
        List<Admissions> byKey = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            Admissions admissions = new Admissions();
            for (int thread = 0; thread < THREADS; thread++) {
                admissions.addAll(byThread[thread][key]);
            }
            byKey.add(admissions);
        }
        return byKey;
    }
}
