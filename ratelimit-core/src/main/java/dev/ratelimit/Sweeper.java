package dev.ratelimit;

import java.lang.ref.WeakReference;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Forgets idle buckets, on one thread for all limiters of this process. The thread ends when there
 * is no limiter left; a limiter that nobody closed is dropped when nobody refers to it.
 */
final class Sweeper implements Runnable {

    private static final System.Logger LOGGER = System.getLogger(Sweeper.class.getName());

    /** How long this rests. */
    static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

    private final WeakReference<InMemoryLimits> limits;
    private boolean failing;

    private Sweeper(InMemoryLimits limits) {
        this.limits = new WeakReference<>(limits);
    }

    private static ScheduledThreadPoolExecutor executor() {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread thread = new Thread(task, "ratelimit-sweeper");
                            thread.setDaemon(true);
                            // Not that of the application which happens to be the first.
                            thread.setContextClassLoader(null);
                            return thread;
                        });
        executor.setKeepAliveTime(PERIOD_NANOS, TimeUnit.NANOSECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    static void add(InMemoryLimits limits, long periodNanos) {
        ScheduledFuture<?> task =
                EXECUTOR.scheduleWithFixedDelay(
                        new Sweeper(limits), periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        limits.onClose(() -> task.cancel(false));
    }

    @Override
    public void run() {
        InMemoryLimits swept = limits.get();
        if (swept == null) {
            // Ends this task, and no other.
            throw new IllegalStateException("The limiter is gone");
        }
        try {
            swept.sweep();
            failing = false;
        } catch (RuntimeException | Error e) {
            // Left to the executor, it would end this task.
            System.Logger.Level level =
                    failing ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
            failing = true;
            LOGGER.log(level, "RL-UNFORGOTTEN-KEYS: Idle keys are not forgotten", e);
        }
    }
}
