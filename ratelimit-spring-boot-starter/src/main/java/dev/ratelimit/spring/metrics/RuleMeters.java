package dev.ratelimit.spring.metrics;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleCounters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** The meters of one rule in one registry. */
final class RuleMeters implements RuleCounters.Listener {

    private final Rule rule;
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final Map<Outcome, Counter> requests = new EnumMap<>(Outcome.class);
    private final Counter overflow;
    private final AtomicLong overflows = new AtomicLong();
    private final BucketGauges bucketGauges;

    /**
     * Registers meters.
     *
     * @param rule what they show
     * @param registry where they are
     * @param buckets how many buckets have a gauge
     * @param timeSource the time by which these gauges may change
     */
    RuleMeters(Rule rule, MeterRegistry registry, int buckets, TimeSource timeSource) {
        this.rule = rule;
        this.registry = registry;
        this.bucketGauges = new BucketGauges(rule, buckets, registry, timeSource);
        for (Outcome outcome : Outcome.values()) {
            requests.put(
                    outcome,
                    Counter.builder("ratelimit.requests")
                            .description("Decisions by their outcome")
                            .tag("rule", rule.name())
                            .tag("outcome", outcome.toString())
                            .register(registry));
        }
        overflow =
                Counter.builder("ratelimit.overflow")
                        .description("Decisions made on a bucket that several keys share")
                        .tag("rule", rule.name())
                        .register(registry);
        meters.addAll(requests.values());
        meters.add(overflow);
        // A gauge of a supplier refers to it strongly.
        meters.add(
                Gauge.builder("ratelimit.buckets", rule::buckets)
                        .description("Keys that have buckets")
                        .tag("rule", rule.name())
                        .register(registry));
        rule.counters().tell(this);
        requests.forEach(
                (outcome, counter) -> counter.increment((double) rule.counters().of(outcome)));
        countOverflows();
    }

    @Override
    public void counted(Outcome outcome) {
        Objects.requireNonNull(requests.get(outcome)).increment();
        countOverflows();
    }

    /** The store counts them, from 0 again for a changed rule; what is new is added. */
    private void countOverflows() {
        long before = overflows.get();
        long now = rule.overflows();
        if (now != before && overflows.compareAndSet(before, now)) {
            overflow.increment((double) (now > before ? now - before : now));
        }
    }

    /** Lets the gauges of buckets follow the busiest keys. */
    void refresh() {
        bucketGauges.refresh();
    }

    /** Removes these meters if they are those of a rule in a registry; tells whether they are. */
    boolean removedWith(Rule other, MeterRegistry from) {
        if (rule != other || registry != from) {
            return false;
        }
        rule.counters().tellNoMore(this);
        meters.forEach(registry::remove);
        bucketGauges.close();
        return true;
    }
}
