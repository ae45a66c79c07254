package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.spring.key.Key;
import dev.ratelimit.spring.key.RuleKey;

/** A rule at work: what was declared, its buckets, and what it has counted. */
public final class Rule {

    private final RuleDefinition definition;
    private final RuleKey key;
    private final KeyedLimits limits;
    private final RuleCounters counters = new RuleCounters();
    private final BusyKeys busyKeys = new BusyKeys();
    private volatile boolean asked;

    Rule(RuleDefinition definition, RuleKey key, KeyedLimits limits) {
        this.definition = definition;
        this.key = key;
        this.limits = limits;
    }

    public String name() {
        return definition.name();
    }

    public RuleDefinition definition() {
        return definition;
    }

    public RuleKey key() {
        return key;
    }

    public KeyedLimits limits() {
        return limits;
    }

    public RuleCounters counters() {
        return counters;
    }

    public BusyKeys busyKeys() {
        return busyKeys;
    }

    /** Whether anything uses this rule, as far as is known. */
    boolean isUsed() {
        return asked
                || !definition.paths().isEmpty()
                || definition.source() == RuleSource.ANNOTATION;
    }

    /** Notes that somebody has asked for this rule by name, to use it. */
    public void use() {
        if (!asked) {
            asked = true;
        }
    }

    Charge charge(Key who) {
        return new Charge(limits, who, definition.permits());
    }

    void countAllowed(Key who) {
        counters.countAllowed();
        busyKeys.countAllowed(who);
    }

    void countRejected(Key who) {
        counters.countRejected();
        busyKeys.countRejected(who);
    }
}
