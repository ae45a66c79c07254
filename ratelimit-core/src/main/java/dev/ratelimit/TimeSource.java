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
     * Waits until this clock has moved on, or nearly.
     *
     * @param nanos how far the clock is to move, in nanoseconds; returns at once if not positive
     * @throws InterruptedException if the thread is interrupted before or while it waits
     */
    default void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
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
