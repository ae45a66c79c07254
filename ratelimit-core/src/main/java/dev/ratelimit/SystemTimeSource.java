package dev.ratelimit;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock at one moment, moved on by a monotonic clock. The monotonic clock may start
 * anywhere and wrap: only differences of its readings are used.
 */
final class SystemTimeSource implements TimeSource {

    // The wall clock is wanted as it is once: from then on only the monotonic clock counts.
    @SuppressWarnings("TimeInStaticInitializer")
    static final SystemTimeSource INSTANCE = new SystemTimeSource(Instant.now(), System.nanoTime());

    private final long offsetNanos;

    SystemTimeSource(Instant now, long monotonicNanos) {
        this.offsetNanos =
                TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - monotonicNanos;
    }

    @Override
    public long epochNanos() {
        return epochNanos(System.nanoTime());
    }

    long epochNanos(long monotonicNanos) {
        return monotonicNanos + offsetNanos;
    }
}
