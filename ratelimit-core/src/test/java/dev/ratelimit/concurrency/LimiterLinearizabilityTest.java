package dev.ratelimit.concurrency;

import dev.ratelimit.Charge;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.RateLimitStrategy;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * With all that goes on around a bucket, whatever threads do at once has the results of some order
 * of doing it one after the other: keys come and go, are forgotten, reset, and share buckets.
 */
class LimiterLinearizabilityTest {

    private static final Logger LIMITS_LOGGER = Logger.getLogger("dev.ratelimit.InMemoryLimits");

    @Test
    void oneKeyThatIsResetAndForgotten() {
        Linearizability.check(OneKey.class);
    }

    @Test
    void twoKeysWhereThereIsRoomForOne() {
        // Lincheck would follow each step of the warning.
        LIMITS_LOGGER.setLevel(Level.OFF);
        try {
            Linearizability.check(TwoKeys.class);
        } finally {
            LIMITS_LOGGER.setLevel(null);
        }
    }

    @Test
    void aLimitThatIsUpdated() {
        Linearizability.check(Updated.class);
    }

    abstract static class Swept {

        final ManuallySwept swept;

        Swept(LimitStrategy strategy, long requests, long maxKeys) {
            Limit limit =
                    new Limit(LimitConfig.of(requests, Duration.ofHours(1)), strategy.create());
            long nowNanos = Duration.ofDays(20_000).toNanos();
            swept = new ManuallySwept(() -> nowNanos, maxKeys, limit);
        }

        String acquire(String key, int permits) {
            long[] out = new long[3];
            boolean allowed = swept.limiter().tryAcquire(key, permits, out);
            return allowed + ", remaining " + out[RateLimitStrategy.REMAINING];
        }

        @Operation
        public void sweep() {
            swept.sweep();
        }
    }

    public static class OneKey extends Swept {

        private final Charge first = new Charge(swept.limits(), "key", 1);

        public OneKey() {
            super(LimitStrategy.TOKEN_BUCKET, 3, 10);
            swept.limits().acquire(first);
        }

        @Operation
        public String tryAcquire(@Param(gen = IntGen.class, conf = "1:2") int permits) {
            return acquire("key", permits);
        }

        @Operation
        public long peek() {
            return swept.limiter().peek("key").remaining();
        }

        @Operation
        public void reset() {
            swept.limiter().reset("key");
        }

        @Operation(runOnce = true)
        public void refund() {
            swept.limits().refund(first);
        }
    }

    public static class TwoKeys extends Swept {

        public TwoKeys() {
            super(LimitStrategy.FIXED_WINDOW, 1, 1);
        }

        @Operation
        public String tryAcquire(@Param(gen = IntGen.class, conf = "1:2") int key) {
            return acquire("key-" + key, 1);
        }

        @Operation
        public void resetFirst() {
            swept.limiter().reset("key-1");
        }
    }

    public static class Updated extends Swept {

        public Updated() {
            super(LimitStrategy.SLIDING_WINDOW, 2, 10);
        }

        @Operation
        public String tryAcquire(@Param(gen = IntGen.class, conf = "1:2") int permits) {
            return acquire("key", permits);
        }

        @Operation(runOnce = true)
        public void raise() {
            swept.limits().update(LimitConfig.of(4, Duration.ofHours(1)));
        }
    }
}
