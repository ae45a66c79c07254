package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.Key;
import dev.ratelimit.spring.key.RuleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A rule at work: what was declared, its buckets, and what it has counted. */
public final class Rule {

    private final RuleCounters counters = new RuleCounters();
    private final BusyKeys busyKeys = new BusyKeys();
    private volatile RuleState state;
    private volatile boolean removed;
    private volatile boolean asked;

    Rule(RuleState state) {
        this.state = state;
    }

    RuleState state() {
        return state;
    }

    void become(RuleState other) {
        state = other;
    }

    /** Ends the removal of this rule. */
    void revive(RuleState other) {
        state = other;
        removed = false;
    }

    /** Whoever still has this rule, such as an annotation, is not limited by it. */
    void remove() {
        removed = true;
        state.close();
    }

    public String name() {
        return state.definition().name();
    }

    public RuleDefinition definition() {
        return state.definition();
    }

    public RuleKey key() {
        return state.key();
    }

    /** The limits of all who have no plan. */
    public KeyedLimits limits() {
        return state.limits();
    }

    /** The limits under which a key is counted. */
    public KeyedLimits limitsOf(Key who) {
        RuleState current = state;
        String name = who.plan();
        return name == null
                ? current.limits()
                : current.limitsOfPlans().getOrDefault(name, current.limits());
    }

    /** For how many keys there are buckets. */
    public long buckets() {
        RuleState current = state;
        return current.limits().size()
                + current.limitsOfPlans().values().stream().mapToLong(KeyedLimits::size).sum();
    }

    /** How many decisions were made on shared buckets. */
    public long overflows() {
        RuleState current = state;
        long overflows = current.limits().overflows();
        if (!current.limitsOfPlans().isEmpty()) {
            for (KeyedLimits plan : current.limitsOfPlans().values()) {
                overflows += plan.overflows();
            }
        }
        return overflows;
    }

    public RuleCounters counters() {
        return counters;
    }

    public BusyKeys busyKeys() {
        return busyKeys;
    }

    /** Who is counted for a call. */
    Key keyOf(Caller caller) {
        RuleState current = state;
        Key who = current.key().resolve(caller);
        if (current.limitsOfPlans().isEmpty()) {
            return who;
        }
        String name = current.plan().planOf(caller);
        return name != null && current.limitsOfPlans().containsKey(name) ? who.withPlan(name) : who;
    }

    /** What a call costs; 0 if it is exempt. */
    long permits(Caller caller) {
        RuleDefinition current = definition();
        for (Predicate<Caller> exemption : current.exemptions()) {
            if (exemption.test(caller)) {
                return 0;
            }
        }
        return current.permits().of(caller);
    }

    boolean isMode(RuleMode mode) {
        return (removed ? RuleMode.OFF : definition().mode()) == mode;
    }

    /**
     * Makes the buckets of a client new, under every limit and plan.
     *
     * @param text the id under which a key is shown, or the key itself, of a web client or of the
     *     application
     */
    public void reset(String text) {
        RuleState current = state;
        List<Key> named = new ArrayList<>(current.key().named(text));
        named.add(RuleLimiter.bucketKey(text));
        for (Key who : named) {
            current.limits().reset(who);
            current.limitsOfPlans().forEach((name, plan) -> plan.reset(who.withPlan(name)));
        }
    }

    RuleCharge charge(Key who, long permits) {
        return new RuleCharge(this, who, new Charge(limitsOf(who), who, permits));
    }

    /** Whether anything uses this rule, as far as is known. */
    boolean isUsed() {
        return asked
                || !definition().requests().paths().isEmpty()
                || definition().source() == RuleSource.ANNOTATION;
    }

    /** Notes that somebody has asked for this rule by name, to use it. */
    public void use() {
        if (!asked) {
            asked = true;
        }
    }

    void countAllowed(Key who) {
        counters.count(Outcome.ALLOWED);
        busyKeys.countAllowed(who);
    }

    void countRejected(Key who) {
        if (isMode(RuleMode.SHADOW)) {
            counters.count(Outcome.SHADOW_REJECTED);
        } else {
            counters.count(Outcome.REJECTED);
        }
        busyKeys.countRejected(who);
    }

    void close() {
        state.close();
    }
}
