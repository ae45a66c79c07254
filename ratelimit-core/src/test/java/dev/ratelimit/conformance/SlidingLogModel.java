package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;

/** Counts the charges in the window that ends at a moment. */
final class SlidingLogModel extends EventModel {

    SlidingLogModel(LimitConfig config) {
        super(config);
    }

    @Override
    public long free(long atNanos) {
        return config.requests() - spentAt(moment -> atNanos - moment < config.windowNanos());
    }
}
