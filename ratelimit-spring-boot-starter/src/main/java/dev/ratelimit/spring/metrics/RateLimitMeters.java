package dev.ratelimit.spring.metrics;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleListener;
import dev.ratelimit.spring.rule.Rules;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The meters of all rules, also of those that are added later. A thread of their own looks which
 * buckets are the busiest.
 */
public final class RateLimitMeters implements MeterBinder, AutoCloseable {

    private static final Log LOGGER = LogFactory.getLog(RateLimitMeters.class);

    private static final long REFRESH_SECONDS = 1;

    private final Rules rules;
    private final TimeSource timeSource;
    private final int bucketGauges;
    private final List<RuleMeters> bound = new CopyOnWriteArrayList<>();
    private @Nullable ScheduledThreadPoolExecutor executor;
    private boolean closed;

    /**
     * Makes the meters.
     *
     * @param rules what they show
     * @param timeSource the time by which the gauges of buckets change
     * @param bucketGauges how many buckets of each rule have a gauge; 0 for none
     */
    public RateLimitMeters(Rules rules, TimeSource timeSource, int bucketGauges) {
        this.rules = rules;
        this.timeSource = timeSource;
        this.bucketGauges = bucketGauges;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        rules.listen(
                new RuleListener() {
                    @Override
                    public void added(Rule rule) {
                        bound.add(new RuleMeters(rule, registry, bucketGauges, timeSource));
                    }

                    @Override
                    public void removed(Rule rule) {
                        bound.removeIf(meters -> meters.removedWith(rule, registry));
                    }
                });
        if (bucketGauges > 0) {
            start();
        }
    }

    private synchronized void start() {
        if (executor != null || closed) {
            return;
        }
        executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread thread = new Thread(task, "ratelimit-meters");
                            thread.setDaemon(true);
                            return thread;
                        });
        var unused =
                executor.scheduleWithFixedDelay(
                        this::refresh, REFRESH_SECONDS, REFRESH_SECONDS, TimeUnit.SECONDS);
    }

    /** Lets the gauges of buckets follow the busiest keys. */
    void refresh() {
        for (RuleMeters meters : bound) {
            try {
                meters.refresh();
            } catch (RuntimeException e) {
                LOGGER.debug("The gauges of a rule could not be refreshed", e);
            }
        }
    }

    /** Ends the work in the background. The meters stay, as long as their registries do. */
    @Override
    public synchronized void close() {
        closed = true;
        if (executor != null) {
            executor.shutdownNow();
        }
    }
}
