package dev.ratelimit.spring.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stops asking after several failures in a row, and then lets one caller in a while find out
 * whether that has changed. Only a change of state takes a lock.
 */
final class Breaker {

    static final int FAILURES = 5;
    static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicLong nextProbe = new AtomicLong();
    private volatile boolean open;

    /** Whether nobody but probes is to ask. */
    boolean isOpen() {
        return open;
    }

    /** Whether a caller may ask; when open, one of them in a while. */
    boolean admits(long nanoTime) {
        if (!open) {
            return true;
        }
        long at = nextProbe.get();
        return nanoTime - at >= 0 && nextProbe.compareAndSet(at, nanoTime + PROBE_NANOS);
    }

    /** Notes an answer; tells whether this ends the failure. */
    boolean succeeded() {
        if (failures.get() != 0) {
            failures.set(0);
        }
        return open && close();
    }

    private synchronized boolean close() {
        boolean closes = open;
        open = false;
        return closes;
    }

    /** Notes a failure; tells whether callers are not to ask any more from now on. */
    boolean failed(long nanoTime) {
        return failures.incrementAndGet() >= FAILURES && open(nanoTime);
    }

    /** Stops asking; tells whether that is new. */
    synchronized boolean open(long nanoTime) {
        if (open) {
            return false;
        }
        nextProbe.set(nanoTime + PROBE_NANOS);
        open = true;
        return true;
    }

    /** Lets the next caller find out. */
    void probeAt(long nanoTime) {
        nextProbe.set(nanoTime);
    }
}
