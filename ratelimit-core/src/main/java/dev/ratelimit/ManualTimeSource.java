package dev.ratelimit;

import java.time.Duration;
import java.time.Instant;

/** A clock that stands still until a test moves it on. */
public final class ManualTimeSource implements TimeSource {

    private static final Instant LAST = Instant.ofEpochSecond(0, Long.MAX_VALUE);

    private volatile long nowNanos;

    /**
     * Starts the clock.
     *
     * @param start the time it shows
     * @throws IllegalArgumentException if {@code start} is before 1970 or after April 2262
     */
    public ManualTimeSource(Instant start) {
        this.nowNanos = toNanos(start);
    }

    /**
     * Moves the clock on.
     *
     * @param by how far
     * @throws IllegalArgumentException if {@code by} is negative
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("A time source never goes back: advance by " + by);
        }
        synchronized (this) {
            moveTo(instant().plus(by));
        }
    }

    /**
     * Moves the clock on to a moment.
     *
     * @param now what the clock then shows
     * @throws IllegalArgumentException if {@code now} is before what the clock shows
     */
    public void set(Instant now) {
        synchronized (this) {
            if (now.isBefore(instant())) {
                throw new IllegalArgumentException(
                        "A time source never goes back: set " + now + " at " + instant());
            }
            moveTo(now);
        }
    }

    @Override
    public long epochNanos() {
        return nowNanos;
    }

    /** Waits until another thread has moved the clock on so far. */
    @Override
    public synchronized void sleepUntil(long epochNanos) throws InterruptedException {
        while (nowNanos < epochNanos) {
            wait();
        }
    }

    private Instant instant() {
        return Instant.ofEpochSecond(0, nowNanos);
    }

    private synchronized void moveTo(Instant now) {
        nowNanos = toNanos(now);
        notifyAll();
    }

    private static long toNanos(Instant instant) {
        if (instant.isBefore(Instant.EPOCH) || instant.isAfter(LAST)) {
            throw new IllegalArgumentException(
                    "A time source shows times from "
                            + Instant.EPOCH
                            + " to "
                            + LAST
                            + ": "
                            + instant);
        }
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }
}
