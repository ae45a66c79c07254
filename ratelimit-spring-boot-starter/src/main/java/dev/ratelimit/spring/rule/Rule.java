package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.Key;
import dev.ratelimit.spring.key.PlanSelector;
import dev.ratelimit.spring.key.RuleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A rule at work: what was declared, its buckets, and what it has counted. */
public final class Rule {

    private final RuleDefinition definition;
    private final RuleKey key;
    private final PlanSelector plan;
    private final KeyedLimits limits;
    private final Map<String, KeyedLimits> limitsOfPlans;
    private final RuleCounters counters = new RuleCounters();
    private final BusyKeys busyKeys = new BusyKeys();

    Rule(
            RuleDefinition definition,
            RuleKey key,
            PlanSelector plan,
            KeyedLimits limits,
            Map<String, KeyedLimits> limitsOfPlans) {
        this.definition = definition;
        this.key = key;
        this.plan = plan;
        this.limits = limits;
        this.limitsOfPlans = limitsOfPlans;
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

    /** The limits of all who have no plan. */
    public KeyedLimits limits() {
        return limits;
    }

    /** The limits under which a key is counted. */
    public KeyedLimits limitsOf(Key who) {
        String name = who.plan();
        return name == null ? limits : limitsOfPlans.getOrDefault(name, limits);
    }

    /** For how many keys there are buckets. */
    public long buckets() {
        return limits.size() + limitsOfPlans.values().stream().mapToLong(KeyedLimits::size).sum();
    }

    /** How many decisions were made on shared buckets. */
    public long overflows() {
        return limits.overflows()
                + limitsOfPlans.values().stream().mapToLong(KeyedLimits::overflows).sum();
    }

    public RuleCounters counters() {
        return counters;
    }

    public BusyKeys busyKeys() {
        return busyKeys;
    }

    /** Who is counted for a call. */
    Key keyOf(Caller caller) {
        Key who = key.resolve(caller);
        if (limitsOfPlans.isEmpty()) {
            return who;
        }
        String name = plan.planOf(caller);
        return name != null && limitsOfPlans.containsKey(name) ? who.withPlan(name) : who;
    }

    /** What a call costs; 0 if it is exempt. */
    long permits(Caller caller) {
        for (Predicate<Caller> exemption : definition.exemptions()) {
            if (exemption.test(caller)) {
                return 0;
            }
        }
        return definition.permits().of(caller);
    }

    boolean isMode(RuleMode mode) {
        return definition.mode() == mode;
    }

    /**
     * Makes the buckets of a client new, under every limit and plan.
     *
     * @param text the id under which a key is shown, or the key itself, of a web client or of the
     *     application
     */
    public void reset(String text) {
        List<Key> named = new ArrayList<>(key.named(text));
        named.add(RuleLimiter.bucketKey(text));
        for (Key who : named) {
            limits.reset(who);
            limitsOfPlans.forEach((name, ofPlan) -> ofPlan.reset(who.withPlan(name)));
        }
    }

    RuleCharge charge(Key who, long permits) {
        return new RuleCharge(this, who, new Charge(limitsOf(who), who, permits));
    }

    void countAllowed(Key who) {
        counters.countAllowed();
        busyKeys.countAllowed(who);
    }

    void countRejected(Key who) {
        if (isMode(RuleMode.SHADOW)) {
            counters.countShadowRejected();
        } else {
            counters.countRejected();
        }
        busyKeys.countRejected(who);
    }

    void close() {
        limits.close();
        limitsOfPlans.values().forEach(KeyedLimits::close);
    }
}
