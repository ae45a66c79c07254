package dev.ratelimit;

import java.util.concurrent.TimeUnit;

/** Whole seconds from nanoseconds. */
final class Seconds {

    private static final long NANOS = 1_000_000_000L;

    private Seconds() {}

    /**
     * The seconds of a sum of nanoseconds, rounded up; no sum of what is not negative overflows.
     */
    static long ceil(long nanos, long moreNanos) {
        long sum = nanos + moreNanos;
        if (sum > 0) {
            return (sum - 1) / NANOS + 1;
        }
        long rest = nanos % NANOS + moreNanos % NANOS;
        return nanos / NANOS + moreNanos / NANOS + (rest + NANOS - 1) / NANOS;
    }

    /** The nanoseconds of so many seconds, or the most there are. */
    static long toNanos(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
