package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;

/** Counts the charges in the window of the epoch grid that a moment lies in. */
final class FixedWindowModel extends EventModel {

    FixedWindowModel(LimitConfig config) {
        super(config);
    }

    @Override
    public long free(long atNanos) {
        long window = atNanos / config.windowNanos();
        return config.requests() - spentAt(moment -> moment / config.windowNanos() == window);
    }
}
