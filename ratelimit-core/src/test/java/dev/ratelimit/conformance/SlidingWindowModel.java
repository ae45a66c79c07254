package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Counts the charges in a window of the epoch grid, and part of those in the window before. */
final class SlidingWindowModel extends EventModel {

    SlidingWindowModel(LimitConfig config) {
        super(config);
    }

    @Override
    public long free(long atNanos) {
        long window = atNanos / config.windowNanos();
        long current = spentAt(moment -> moment / config.windowNanos() == window);
        long previous = spentAt(moment -> moment / config.windowNanos() == window - 1);
        long restNanos = (window + 1) * config.windowNanos() - atNanos;
        long weighted =
                BigDecimal.valueOf(previous)
                        .multiply(BigDecimal.valueOf(restNanos))
                        .divide(BigDecimal.valueOf(config.windowNanos()), 0, RoundingMode.CEILING)
                        .longValueExact();
        return config.requests() - current - weighted;
    }
}
