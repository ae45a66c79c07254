package dev.ratelimit.spring.redis;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Opens the connection in the background, and as long as Redis does not answer tries again once a
 * second. So no request opens one, which can take long, and the application starts without Redis.
 */
final class Connector implements AutoCloseable {

    private static final Log LOGGER = LogFactory.getLog(Connector.class);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSE_SECONDS = 1;

    private final RedisScripts scripts;
    private final StoreHealth health;
    private final CountDownLatch attempt = new CountDownLatch(1);
    private final long startNanoTime = System.nanoTime();
    private final ScheduledThreadPoolExecutor executor;
    private volatile boolean attempted;
    private boolean connected;

    Connector(RedisScripts scripts, StoreHealth health) {
        this.scripts = scripts;
        this.health = health;
        this.executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread thread = new Thread(task, "ratelimit-redis");
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    void start() {
        var unused =
                executor.scheduleWithFixedDelay(
                        this::connectIfNeeded, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
    }

    private void connectIfNeeded() {
        if (connected && health.isAvailable()) {
            return;
        }
        try {
            scripts.connect();
            connected = true;
            health.connected(scripts.servers(), System.nanoTime());
        } catch (RuntimeException e) {
            LOGGER.debug("There is no connection to Redis", e);
            // An attempt that closing has interrupted tells nothing.
            if (!executor.isShutdown()) {
                health.notConnected(e, System.nanoTime());
            }
        } finally {
            attempted = true;
            attempt.countDown();
        }
    }

    /** Lets the first requests wait for the first attempt, not longer than 2 s after the start. */
    void awaitFirstAttempt() {
        if (attempted) {
            return;
        }
        try {
            long nanos = PATIENCE_NANOS - (System.nanoTime() - startNanoTime);
            if (!attempt.await(nanos, TimeUnit.NANOSECONDS)) {
                attempted = true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
