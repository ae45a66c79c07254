package dev.ratelimit;

import java.util.concurrent.TimeUnit;

/**
 * Where a limiter gets its time from. Implementations are safe for use by many threads.
 *
 * <p>Tests use a {@link ManualTimeSource}.
 */
@FunctionalInterface
public interface TimeSource {

    /**
     * Reads the clock.
     *
     * @return nanoseconds since the epoch, not negative; never less than an earlier reading,
     *     whatever the wall clock does
     */
    long epochNanos();

    /**
     * Waits until this clock shows a time, or nearly.
     *
     * @param epochNanos nanoseconds since the epoch; returns at once if that is not in the future
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    default void sleepUntil(long epochNanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(epochNanos - epochNanos());
    }

    /**
     * The time of this machine: the wall clock as it was when this class was loaded, moved on by
     * {@link System#nanoTime()}.
     *
     * @return the one system time source
     */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }
}
