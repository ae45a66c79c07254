package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The two faults of the token bucket that came before this one: it refills at least a thousandth of
 * a token per millisecond, and it writes its two slots one after the other.
 */
class OldTokenBucketTest {

    private static final long START_NANOS = SingleKey.START_NANOS;
    private static final RateLimitStrategy OURS = LimitStrategy.TOKEN_BUCKET.create();

    /** Tokens in thousandths in the first slot, and when they were refilled in the second. */
    private static boolean oldCheck(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        long nowMillis = nowNanos / 1_000_000;
        long refilledMillis = bucket.slot1();
        long capacity = config.burst() * 1000;
        if (refilledMillis == 0) {
            bucket.compareAndSetSlot0(0, capacity);
            bucket.compareAndSetSlot1(0, nowMillis);
        } else {
            long perMilli = Math.max(config.requests() * 1_000_000_000 / config.windowNanos(), 1);
            long refill = (nowMillis - refilledMillis) * perMilli;
            long tokens = bucket.slot0();
            while (!bucket.compareAndSetSlot0(tokens, Math.min(tokens + refill, capacity))) {
                tokens = bucket.slot0();
            }
            bucket.compareAndSetSlot1(refilledMillis, nowMillis);
        }
        for (; ; ) {
            long tokens = bucket.slot0();
            if (tokens < permits * 1000) {
                return false;
            }
            if (bucket.compareAndSetSlot0(tokens, tokens - permits * 1000)) {
                return true;
            }
        }
    }

    private static long admitted(
            RateLimitStrategy strategy, Bucket bucket, LimitConfig config, long nowNanos) {
        long admitted = 0;
        while (strategy.check(bucket, config, 1, nowNanos, new long[3])) {
            admitted++;
        }
        return admitted;
    }

    private static long admittedInAMinute(RateLimitStrategy strategy) {
        LimitConfig onePerHour = LimitConfig.of(1, Duration.ofHours(1));
        Bucket bucket = new Bucket();
        return IntStream.range(0, 60)
                .mapToLong(
                        second ->
                                admitted(
                                        strategy,
                                        bucket,
                                        onePerHour,
                                        START_NANOS + second * 1_000_000_000L))
                .sum();
    }

    @Test
    void one_per_hour_was_one_per_second() {
        assertThat(admittedInAMinute(OldTokenBucketTest::oldCheck)).isEqualTo(60);
        assertThat(admittedInAMinute(OURS)).isEqualTo(1);
    }

    /** Lets another thread pass, so to speak, just before the n-th access to its slots. */
    private static final class InterruptedBucket extends Bucket {

        private int accessesLeft = Integer.MAX_VALUE;
        private Runnable other = () -> {};

        void interruptBefore(int access, Runnable by) {
            accessesLeft = access;
            other = by;
        }

        private void access() {
            if (accessesLeft-- == 0) {
                other.run();
            }
        }

        @Override
        public long slot0() {
            access();
            return super.slot0();
        }

        @Override
        public long slot1() {
            access();
            return super.slot1();
        }

        @Override
        public boolean compareAndSetSlot0(long expected, long update) {
            access();
            return super.compareAndSetSlot0(expected, update);
        }

        @Override
        public boolean compareAndSetSlot1(long expected, long update) {
            access();
            return super.compareAndSetSlot1(expected, update);
        }
    }

    /** What two threads get of a bucket that has earned 2 since it was emptied, at worst. */
    private static long mostAdmittedInARace(RateLimitStrategy strategy) {
        LimitConfig config = LimitConfig.of(10, Duration.ofSeconds(10));
        long later = START_NANOS + Duration.ofSeconds(2).toNanos();
        return IntStream.range(0, 20)
                .mapToLong(
                        access -> {
                            InterruptedBucket bucket = new InterruptedBucket();
                            assertThat(admitted(strategy, bucket, config, START_NANOS))
                                    .isEqualTo(10);
                            long[] byOther = new long[1];
                            bucket.interruptBefore(
                                    access,
                                    () -> byOther[0] = admitted(strategy, bucket, config, later));
                            return admitted(strategy, bucket, config, later) + byOther[0];
                        })
                .max()
                .orElseThrow();
    }

    @Test
    void two_threads_minted_the_same_refill_twice() {
        assertThat(mostAdmittedInARace(OldTokenBucketTest::oldCheck)).isEqualTo(4);
        assertThat(mostAdmittedInARace(OURS)).isEqualTo(2);
    }
}
