package dev.ratelimit.spring.redis;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Opens the connection in the background, and as long as Redis does not answer tries again once a
 * second. So no request opens one, which can take long, and the application starts without Redis.
 *
 * <p>An attempt may hang for as long as the client's own timeout, of a minute. After a while
 * another one begins beside it; there are never more than a few.
 */
final class Connector implements AutoCloseable {

    private static final Log LOGGER = LogFactory.getLog(Connector.class);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSE_SECONDS = 1;
    private static final int ATTEMPTS_AT_ONCE = 3;
    private static final long NANOS_BETWEEN_ATTEMPTS_AT_ONCE = TimeUnit.SECONDS.toNanos(5);

    /** Where a server answers but cannot decide, a new connection may lead to another server. */
    private static final int ATTEMPTS_FOR_A_NEW_CONNECTION = 5;

    private final RedisScripts scripts;
    private final StoreHealth health;
    private final CountDownLatch attempt = new CountDownLatch(1);
    private final long startNanoTime = System.nanoTime();
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, Connector::thread);
    private final ThreadPoolExecutor attempts =
            new ThreadPoolExecutor(
                    0,
                    ATTEMPTS_AT_ONCE,
                    10,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Connector::thread);
    private volatile boolean attempted;
    private volatile boolean connected;
    private int attemptsInARow;
    private long lastNanoTime;

    Connector(RedisScripts scripts, StoreHealth health) {
        this.scripts = scripts;
        this.health = health;
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "ratelimit-redis");
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        var unused =
                timer.scheduleWithFixedDelay(
                        this::connectIfNeeded, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
    }

    private void connectIfNeeded() {
        if (connected && health.isAvailable()) {
            attemptsInARow = 0;
            return;
        }
        long now = System.nanoTime();
        if (attempts.getActiveCount() > 0 && now - lastNanoTime < NANOS_BETWEEN_ATTEMPTS_AT_ONCE) {
            return;
        }
        lastNanoTime = now;
        boolean anew = attemptsInARow++ % ATTEMPTS_FOR_A_NEW_CONNECTION == 1;
        try {
            attempts.execute(() -> connect(anew));
        } catch (RejectedExecutionException e) {
            LOGGER.debug("There are enough attempts to connect", e);
        }
    }

    private void connect(boolean anew) {
        try {
            scripts.connect(anew);
            connected = true;
            health.connected(scripts.servers(), System.nanoTime());
        } catch (RuntimeException e) {
            LOGGER.debug("There is no connection to Redis", e);
            // An attempt that closing has interrupted tells nothing.
            if (!attempts.isShutdown()) {
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
        timer.shutdownNow();
        attempts.shutdownNow();
    }
}
