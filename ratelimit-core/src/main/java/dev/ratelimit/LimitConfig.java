package dev.ratelimit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The numbers of a limit: so many requests per window, and for a token bucket how many at once.
 *
 * <p>Immutable. What the strategies derive from the numbers is computed here, once.
 */
public final class LimitConfig {

    /** The largest number of requests, and the largest burst. */
    static final long MAX_REQUESTS = 1_000_000_000L;

    static final Duration MIN_WINDOW = Duration.ofMillis(1);
    static final Duration MAX_WINDOW = Duration.ofDays(366);

    private final long requests;
    private final long windowNanos;
    private final long burst;
    private final boolean burstSet;

    /** How many bits hold a count of 0 to {@link #requests}. */
    final int countBits;

    /** The time unit in which the token bucket of these numbers counts. */
    final TokenUnits tokenUnits;

    private LimitConfig(long requests, long windowNanos, long burst, boolean burstSet) {
        this.requests = requests;
        this.windowNanos = windowNanos;
        this.burst = burst;
        this.burstSet = burstSet;
        this.countBits = Long.SIZE - Long.numberOfLeadingZeros(requests);
        this.tokenUnits = TokenUnits.of(requests, windowNanos, burst);
    }

    /**
     * Makes a limit without a burst of its own.
     *
     * @param requests how many per window, 1 to 10⁹
     * @param window how long a window is, 1 ms to 366 days
     * @return the limit
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static LimitConfig of(long requests, Duration window) {
        return of(requests, window, window);
    }

    /** Does the same for a window of so many units. */
    static LimitConfig of(long requests, long window, TimeUnit unit) {
        // Saturated, a window is as far out of range as before.
        return of(requests, Duration.ofNanos(unit.toNanos(window)), window + " " + unit);
    }

    private static LimitConfig of(long requests, Duration window, Object givenWindow) {
        requireInRange("requests", requests);
        if (window.compareTo(MIN_WINDOW) < 0 || window.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "window must be from 1 ms to 366 days: " + givenWindow);
        }
        return new LimitConfig(requests, window.toNanos(), requests, false);
    }

    /**
     * Makes the same limit with another burst.
     *
     * @param burst how many a full token bucket can give at once, 1 to 10⁹; it may be less than the
     *     requests
     * @return the limit
     * @throws IllegalArgumentException if {@code burst} is out of its range
     */
    public LimitConfig withBurst(long burst) {
        requireInRange("burst", burst);
        return new LimitConfig(requests, windowNanos, burst, true);
    }

    private static void requireInRange(String name, long value) {
        if (value < 1 || value > MAX_REQUESTS) {
            throw new IllegalArgumentException(
                    name + " must be from 1 to " + MAX_REQUESTS + ": " + value);
        }
    }

    /**
     * Returns how many requests a window has.
     *
     * @return 1 to 10⁹
     */
    public long requests() {
        return requests;
    }

    /**
     * Returns how long a window is.
     *
     * @return nanoseconds, 10⁶ to 3.2·10¹⁶
     */
    public long windowNanos() {
        return windowNanos;
    }

    /**
     * Returns what the limit can give at once.
     *
     * @return the burst where set, else the requests
     */
    public long burst() {
        return burst;
    }

    /** Whether {@link #withBurst} made this. */
    boolean burstSet() {
        return burstSet;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LimitConfig that
                && requests == that.requests
                && windowNanos == that.windowNanos
                && burst == that.burst
                && burstSet == that.burstSet;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(requests * 31 * 31 + windowNanos * 31 + burst);
    }

    @Override
    public String toString() {
        return requests
                + " per "
                + Duration.ofNanos(windowNanos)
                + (burstSet ? ", burst " + burst : "");
    }
}
