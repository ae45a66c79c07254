package dev.ratelimit.concurrency;

import dev.ratelimit.Bucket;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import java.time.Duration;
import java.util.Arrays;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * On one bucket, whatever threads do at once has the results of some order of doing it one after
 * the other, with readings of the clock that may be older than those of other threads. Several
 * permits and refunds in a sliding log are the exception, see {@link HeldPermitsTest}.
 */
class StrategyLinearizabilityTest {

    @Test
    void fixedWindow() {
        Linearizability.check(FixedWindow.class);
    }

    @Test
    void tokenBucket() {
        Linearizability.check(TokenBucket.class);
    }

    @Test
    void slidingWindow() {
        Linearizability.check(SlidingWindow.class);
    }

    @Test
    void slidingLogOfOnePermitAtATime() {
        Linearizability.check(SlidingLog.class);
    }

    @Test
    void slidingLogOfOneRequest() {
        Linearizability.check(SlidingLogOfOne.class);
    }

    /** Times are in seconds. */
    abstract static class OneBucket {

        private final RateLimitStrategy strategy;
        private final LimitConfig config;
        private final Bucket bucket;

        OneBucket(LimitStrategy strategy, LimitConfig config) {
            this.strategy = strategy.create();
            this.config = config;
            this.bucket = this.strategy.newBucket(config);
        }

        private static long nanos(int seconds) {
            return Duration.ofDays(20_000).plusSeconds(seconds).toNanos();
        }

        String check(long permits, int time) {
            long[] out = new long[3];
            boolean allowed = strategy.check(bucket, config, permits, nanos(time), out);
            return allowed + " " + Arrays.toString(out);
        }

        void giveBack(long permits, int chargedAt, int time) {
            strategy.refund(bucket, config, permits, nanos(chargedAt), nanos(time));
        }

        /** Asks without spending. */
        @Operation
        public String peek(@Param(gen = IntGen.class, conf = "0:3") int time) {
            return check(0, time);
        }
    }

    /** Adds what is linearizable under all strategies but the sliding log. */
    abstract static class OneWord extends OneBucket {

        OneWord(LimitStrategy strategy, LimitConfig config) {
            super(strategy, config);
        }

        @Operation
        public String tryAcquire(
                @Param(gen = IntGen.class, conf = "1:3") int permits,
                @Param(gen = IntGen.class, conf = "0:3") int time) {
            return check(permits, time);
        }

        @Operation
        public void refund(
                @Param(gen = IntGen.class, conf = "1:2") int permits,
                @Param(gen = IntGen.class, conf = "0:1") int chargedAt,
                @Param(gen = IntGen.class, conf = "1:3") int time) {
            giveBack(permits, chargedAt, time);
        }
    }

    public static class FixedWindow extends OneWord {
        public FixedWindow() {
            super(LimitStrategy.FIXED_WINDOW, LimitConfig.of(4, Duration.ofSeconds(2)));
        }
    }

    public static class TokenBucket extends OneWord {
        public TokenBucket() {
            super(LimitStrategy.TOKEN_BUCKET, LimitConfig.of(3, Duration.ofSeconds(5)));
        }
    }

    public static class SlidingWindow extends OneWord {
        public SlidingWindow() {
            super(LimitStrategy.SLIDING_WINDOW, LimitConfig.of(4, Duration.ofSeconds(2)));
        }
    }

    public static class SlidingLog extends OneBucket {
        public SlidingLog() {
            this(2);
        }

        SlidingLog(long requests) {
            super(LimitStrategy.SLIDING_LOG, LimitConfig.of(requests, Duration.ofSeconds(2)));
        }

        @Operation
        public String tryAcquire(@Param(gen = IntGen.class, conf = "0:3") int time) {
            return check(1, time);
        }
    }

    public static class SlidingLogOfOne extends SlidingLog {
        public SlidingLogOfOne() {
            super(1);
        }
    }
}
