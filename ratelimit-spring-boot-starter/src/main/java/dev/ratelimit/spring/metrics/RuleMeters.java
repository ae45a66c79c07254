package dev.ratelimit.spring.metrics;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleCounters;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The meters of one rule in one registry. */
final class RuleMeters {

    private final Rule rule;
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
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
        RuleCounters counters = rule.counters();
        requests("allowed", counters::allowed);
        requests("rejected", counters::rejected);
        requests("shadow-rejected", counters::shadowRejected);
        requests("exempt", counters::exempt);
        requests("store-failure", counters::storeFailures);
        meters.add(
                counter("ratelimit.overflow", rule::overflows)
                        .description("Decisions made on a bucket that several keys share")
                        .tag("rule", rule.name())
                        .register(registry));
        // A gauge of a supplier refers to it strongly.
        meters.add(
                Gauge.builder("ratelimit.buckets", rule::buckets)
                        .description("Keys that have buckets")
                        .tag("rule", rule.name())
                        .register(registry));
    }

    private void requests(String outcome, LongSupplier count) {
        meters.add(
                counter("ratelimit.requests", count)
                        .description("Decisions by their outcome")
                        .tag("rule", rule.name())
                        .tag("outcome", outcome)
                        .register(registry));
    }

    /** The counter refers to its state weakly, but to its function strongly. */
    private static FunctionCounter.Builder<LongSupplier> counter(String name, LongSupplier count) {
        return FunctionCounter.builder(name, count, state -> count.getAsLong());
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
        meters.forEach(registry::remove);
        bucketGauges.close();
        return true;
    }
}
