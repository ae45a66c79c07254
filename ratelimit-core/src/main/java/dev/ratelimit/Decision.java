package dev.ratelimit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a limiter answered. Of several limits it shows the deciding one: when rejected, the one that
 * asks for the longest wait; when allowed, the one with the smallest part of its capacity left.
 */
public final class Decision {

    private final boolean allowed;
    private final long limit;
    private final long remaining;
    private final long resetEpochSeconds;
    private final long retryNanos;
    private final long permits;
    private final long epochNanos;
    private final @Nullable Charge charge;

    Decision(
            boolean allowed,
            long limit,
            long remaining,
            long resetEpochSeconds,
            long retryNanos,
            long permits,
            long epochNanos,
            @Nullable Charge charge) {
        this.allowed = allowed;
        this.limit = limit;
        this.remaining = remaining;
        this.resetEpochSeconds = resetEpochSeconds;
        this.retryNanos = retryNanos;
        this.permits = permits;
        this.epochNanos = epochNanos;
        this.charge = charge;
    }

    /**
     * Tells whether the permits were spent; of a peek, whether one permit would be given now.
     *
     * @return whether the request may go on
     */
    public boolean allowed() {
        return allowed;
    }

    /**
     * Returns the capacity of the deciding limit: its burst where set, else its requests.
     *
     * @return 1 to 10⁹
     */
    public long limit() {
        return limit;
    }

    /**
     * Returns what is left of the deciding limit after this decision.
     *
     * @return permits, not negative
     */
    public long remaining() {
        return remaining;
    }

    /**
     * Returns the moment at which {@link #remaining()} would grow if nobody spent anything, rounded
     * up; the moment of the decision when the bucket is full.
     *
     * @return seconds since the epoch
     */
    public long resetEpochSeconds() {
        return resetEpochSeconds;
    }

    /**
     * Returns how long to wait until the same request would be admitted, if nobody else asks.
     *
     * @return zero when allowed; negative when it never would be, since it asks for more than the
     *     capacity
     */
    public Duration retryAfter() {
        return Duration.ofNanos(retryNanos);
    }

    /**
     * Returns how many permits were asked for.
     *
     * @return at least 1; 0 of a peek
     */
    public long permits() {
        return permits;
    }

    /**
     * Returns when this was decided.
     *
     * @return nanoseconds since the epoch
     */
    public long epochNanos() {
        return epochNanos;
    }

    long retryNanos() {
        return retryNanos;
    }

    /**
     * Tells whether these limits made this decision, so that they can take a refund of it.
     *
     * @param limits some limits
     * @return false of a peek
     */
    public boolean isOf(KeyedLimits limits) {
        return charge != null && charge.limits() == limits;
    }

    /** What to give back in a refund; null of a peek. */
    @Nullable Charge charge() {
        return charge;
    }

    @Override
    public String toString() {
        return (allowed ? "allowed" : "rejected")
                + ", remaining "
                + remaining
                + " of "
                + limit
                + ", reset at "
                + resetEpochSeconds
                + (allowed ? "" : retryNanos < 0 ? ", never" : ", retry after " + retryAfter());
    }
}
