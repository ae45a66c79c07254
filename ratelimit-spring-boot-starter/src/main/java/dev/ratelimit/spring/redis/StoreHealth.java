package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Knows whether Redis answers, and says so when that changes. */
final class StoreHealth {

    private static final Log LOGGER = LogFactory.getLog(StoreHealth.class);

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Breaker breaker = new Breaker();
    private final AtomicBoolean everFailed = new AtomicBoolean();
    private final AtomicLong lastTold = new AtomicLong();

    boolean isAvailable() {
        return !breaker.isOpen();
    }

    /**
     * Lets a caller ask.
     *
     * @throws StoreUnavailableException if it is no use
     */
    void requireAvailable(long nanoTime) {
        if (!breaker.admits(nanoTime)) {
            throw new StoreUnavailableException("Redis has not answered lately", null);
        }
    }

    void succeeded() {
        if (breaker.succeeded()) {
            LOGGER.warn("RL-STORE-AVAILABLE: Redis answers again, and decides on all rate limits");
        }
    }

    void failed(RuntimeException e, long nanoTime) {
        if (breaker.failed(nanoTime)) {
            tellUnavailable(e);
        } else if (!breaker.isOpen() && mayTell(nanoTime)) {
            LOGGER.warn(
                    "RL-STORE-FAILURE: Redis did not decide on a rate limit, and its on-failure was"
                            + " followed ("
                            + e.getMessage()
                            + "); this is logged at most once a minute");
        }
    }

    private boolean mayTell(long nanoTime) {
        if (everFailed.compareAndSet(false, true)) {
            lastTold.set(nanoTime);
            return true;
        }
        long last = lastTold.get();
        return nanoTime - last >= QUIET_NANOS && lastTold.compareAndSet(last, nanoTime);
    }

    /** Notes that there is no connection, without a caller who has to find out. */
    void notConnected(RuntimeException e, long nanoTime) {
        if (breaker.open(nanoTime)) {
            tellUnavailable(e);
        }
    }

    /** Notes that there is a connection, so that the next caller finds out whether it answers. */
    void connected(long nanoTime) {
        breaker.probeAt(nanoTime);
    }

    private static void tellUnavailable(RuntimeException e) {
        LOGGER.warn(
                "RL-STORE-UNAVAILABLE: Redis does not answer ("
                        + e.getMessage()
                        + "); until it does, the on-failure of each rate limit is followed");
    }
}
