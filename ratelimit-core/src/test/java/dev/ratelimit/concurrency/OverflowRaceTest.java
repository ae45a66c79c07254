package dev.ratelimit.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Decision;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** There is room for few keys, and others come and go. */
class OverflowRaceTest {

    private static final int MAX_KEYS = 4;
    private static final int REQUESTS = 5;
    private static final int THREADS = 4;
    private static final long NOW_NANOS = Duration.ofDays(20_000).toNanos();

    private static ManuallySwept swept(LimitStrategy strategy, long maxKeys) {
        Limit limit = new Limit(LimitConfig.of(REQUESTS, Duration.ofHours(1)), strategy.create());
        return new ManuallySwept(() -> NOW_NANOS, maxKeys, limit);
    }

    @ParameterizedTest
    @EnumSource
    void aFloodOfKeysGivesNobodyMoreThanTheLimit(LimitStrategy strategy) {
        ManuallySwept swept = swept(strategy, MAX_KEYS);
        RateLimiter limiter = swept.limiter();
        try (Race.Background sweeping = new Race.Background(swept::sweep);
                Race.Background flood = new Race.Background(() -> comeAndGo(limiter));
                Race.Background more = new Race.Background(() -> comeAndGo(limiter))) {
            Queue<Decision> admitted = new ConcurrentLinkedQueue<>();
            Race.rounds(
                    THREADS,
                    Stress.times(500, 15_000),
                    new Race.Round() {
                        private volatile String key = "attacker-0";

                        @Override
                        public void run(int thread) {
                            for (int i = 0; i < 2 * REQUESTS; i++) {
                                Decision decision = limiter.tryAcquire(key);
                                if (decision.allowed()) {
                                    admitted.add(decision);
                                }
                            }
                        }

                        @Override
                        public void end(int round) {
                            assertThat(admitted).hasSizeLessThanOrEqualTo(REQUESTS);
                            assertThat(limiter.size()).isLessThanOrEqualTo(MAX_KEYS);
                            admitted.forEach(decision -> limiter.refund(key, decision));
                            admitted.clear();
                            key = "attacker-" + round;
                        }
                    });
        }
        assertThat(swept.limits().overflows()).isPositive();
        swept.sweep();
        assertThat(limiter.size()).isZero();
    }

    private static void comeAndGo(RateLimiter limiter) {
        String key = "flood-" + ThreadLocalRandom.current().nextInt(1_000);
        Decision decision = limiter.tryAcquire(key);
        limiter.refund(key, decision);
    }

    @ParameterizedTest
    @EnumSource
    void theLastKeyThatHasRoomGetsItsOwnBucketHoweverManyThreadsBringIt(LimitStrategy strategy) {
        ManuallySwept swept = swept(strategy, 1);
        Race.rounds(
                16,
                Stress.times(100, 3_000),
                new Race.Round() {
                    @Override
                    public void run(int thread) {
                        swept.limiter().tryAcquire("key");
                    }

                    @Override
                    public void end(int round) {
                        assertThat(swept.limiter().size()).isEqualTo(1);
                        swept.limiter().reset("key");
                    }
                });
        assertThat(swept.limits().overflows()).isZero();
    }

    /** A name that does something the n-th time that it is hashed. */
    private static final class Name {

        private final String text;
        private final Runnable action;
        private int hashesLeft;

        Name(String text) {
            this(text, 0, () -> {});
        }

        Name(String text, int hashesLeft, Runnable action) {
            this.text = text;
            this.hashesLeft = hashesLeft;
            this.action = action;
        }

        @Override
        public int hashCode() {
            if (--hashesLeft == 0) {
                action.run();
            }
            return text.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Name name && text.equals(name.text);
        }
    }

    /** The third time, it is looked for in the map, and room for it comes only then. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aKeyThatOthersBeginToShareABucketForMeanwhileSharesItToo(int hashes) {
        KeyedLimits limits = swept(LimitStrategy.FIXED_WINDOW, 1).limits();
        long[] out = new long[3];
        Runnable others =
                () -> {
                    assertThat(limits.tryAcquire(new Name("other"), 1, out)).isTrue();
                    assertThat(limits.tryAcquire(new Name("key"), REQUESTS, out)).isTrue();
                    limits.reset(new Name("other"));
                };
        assertThat(limits.tryAcquire(new Name("key", hashes, others), 1, out)).isFalse();
    }

    @Test
    void lookingAtKeysThatShareABucketIsNoDecision() {
        ManuallySwept swept = swept(LimitStrategy.FIXED_WINDOW, 1);
        swept.limiter().tryAcquire("known");
        swept.limiter().tryAcquire("new");
        assertThat(swept.limits().overflows()).isEqualTo(1);
        assertThat(swept.limiter().peek("new").remaining()).isEqualTo(REQUESTS - 1);
        assertThat(swept.limits().overflows()).isEqualTo(1);
    }
}
