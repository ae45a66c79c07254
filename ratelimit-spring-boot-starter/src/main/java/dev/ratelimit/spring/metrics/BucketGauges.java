package dev.ratelimit.spring.metrics;

import dev.ratelimit.Charge;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.key.Key;
import dev.ratelimit.spring.rule.BusyKeys.BusyKey;
import dev.ratelimit.spring.rule.Rule;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What is left in the busiest buckets of one rule: a gauge for each, in one registry. */
final class BucketGauges {

    /** A monitoring system keeps each series it has ever seen, so they must not come and go. */
    private static final long MIN_NANOS_BETWEEN_CHANGES = TimeUnit.SECONDS.toNanos(10);

    private final Rule rule;
    private final int count;
    private final MeterRegistry registry;
    private final TimeSource timeSource;
    private final Map<String, Meter> shown = new HashMap<>();
    private boolean closed;
    private boolean changed;
    private long changedEpochNanos;
    private long changedNanoTime;

    /**
     * Makes gauges.
     *
     * @param rule whose buckets they show
     * @param count at most so many
     * @param registry where they are
     * @param timeSource the time by which they may change
     */
    BucketGauges(Rule rule, int count, MeterRegistry registry, TimeSource timeSource) {
        this.rule = rule;
        this.count = count;
        this.registry = registry;
        this.timeSource = timeSource;
    }

    /** Shows the buckets that are the busiest now, unless the last change was not long ago. */
    synchronized void refresh() {
        if (closed || !mayChange()) {
            return;
        }
        Map<String, Key> busiest = busiest();
        if (busiest.keySet().equals(shown.keySet())) {
            return;
        }
        // First the old ones, since there must never be more than so many.
        shown.entrySet().removeIf(entry -> removed(entry.getKey(), entry.getValue(), busiest));
        busiest.forEach((id, key) -> shown.computeIfAbsent(id, added -> register(added, key)));
        changed = true;
        changedEpochNanos = timeSource.epochNanos();
        changedNanoTime = System.nanoTime();
    }

    /** Removes all gauges, and shows none any more. */
    synchronized void close() {
        closed = true;
        shown.values().forEach(registry::remove);
        shown.clear();
    }

    /** By either clock: one that a test holds still must not hold the gauges for ever. */
    private boolean mayChange() {
        return !changed
                || timeSource.epochNanos() - changedEpochNanos >= MIN_NANOS_BETWEEN_CHANGES
                || System.nanoTime() - changedNanoTime >= MIN_NANOS_BETWEEN_CHANGES;
    }

    /** The busiest keys by their id; of two keys with one id, which can be, the busier. */
    private Map<String, Key> busiest() {
        Map<String, Key> busiest = new LinkedHashMap<>();
        for (BusyKey busy : rule.busyKeys().busiest(count)) {
            busiest.putIfAbsent(busy.key().id(), busy.key());
        }
        return busiest;
    }

    private boolean removed(String id, Meter gauge, Map<String, Key> busiest) {
        if (busiest.containsKey(id)) {
            return false;
        }
        registry.remove(gauge);
        return true;
    }

    private Gauge register(String id, Key key) {
        return Gauge.builder("ratelimit.bucket.remaining", () -> remaining(key))
                .description("Permits that are left in one of the busiest buckets")
                .tag("rule", rule.name())
                .tag("bucket", id)
                .register(registry);
    }

    /** Not a number while the store does not answer. */
    private double remaining(Key key) {
        Charge charge = new Charge(rule.limitsOf(key), key, 1);
        try {
            charge.limits().peek(charge);
        } catch (StoreUnavailableException e) {
            return Double.NaN;
        }
        return charge.decision().remaining();
    }
}
