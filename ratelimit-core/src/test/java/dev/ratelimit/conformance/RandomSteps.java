package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import java.time.Duration;
import java.util.Random;

/** Random pauses and demands, with a liking for those at which something changes. */
public final class RandomSteps {

    /** What a clock of nanoseconds can show ends in 2262. */
    private static final long LAST_NANOS = Duration.ofDays(365 * 240).toNanos();

    private final Random random;

    public RandomSteps(Random random) {
        this.random = random;
    }

    /**
     * Returns how long to pause.
     *
     * @param waitNanos a wait that the limiter has told
     */
    public long pauseNanos(LimitConfig config, long nowNanos, long waitNanos) {
        long window = config.windowNanos();
        long untilEdge = window - nowNanos % window;
        long nanos =
                switch (random.nextInt(14)) {
                    case 0 -> 1;
                    case 1, 2 -> waitNanos;
                    case 3 -> waitNanos - 1;
                    case 4, 5 -> random.nextLong(2 * (window / config.requests()) + 1);
                    case 6, 7, 8 -> random.nextLong(window);
                    case 9 -> untilEdge;
                    case 10 -> untilEdge - 1;
                    case 11 -> window * (1 + random.nextInt(3));
                    case 12 -> Duration.ofHours(random.nextInt(48)).toNanos();
                    default -> Duration.ofDays(random.nextInt(800)).toNanos();
                };
        return nowNanos > LAST_NANOS - nanos ? 0 : Math.max(nanos, 0);
    }

    /**
     * Returns how many permits to demand.
     *
     * @param remaining what the limiter has left
     */
    public long permits(LimitConfig config, long remaining) {
        long capacity = config.burst();
        return switch (random.nextInt(10)) {
            case 0 -> capacity;
            case 1 -> capacity + 1;
            case 2 -> random.nextLong(capacity) + 1;
            case 3, 4 -> Math.max(remaining, 1);
            case 5 -> remaining + 1;
            case 6 -> random.nextLong(Math.max(capacity / 4, 1)) + 1;
            default -> 1;
        };
    }
}
