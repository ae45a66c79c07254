package dev.ratelimit;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The wall clock at one moment, moved on by a monotonic clock. The monotonic clock may start
 * anywhere and wrap: only differences of its readings are used.
 */
final class SystemTimeSource implements TimeSource {

    // The wall clock is wanted as it is once: from then on only the monotonic clock counts.
    @SuppressWarnings("TimeInStaticInitializer")
    static final SystemTimeSource INSTANCE = new SystemTimeSource(Instant.now(), System::nanoTime);

    private final LongSupplier nanoTime;
    private final long offsetNanos;

    SystemTimeSource(Instant now, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.offsetNanos =
                TimeUnit.SECONDS.toNanos(now.getEpochSecond())
                        + now.getNano()
                        - nanoTime.getAsLong();
    }

    @Override
    public long epochNanos() {
        return nanoTime.getAsLong() + offsetNanos;
    }
}
