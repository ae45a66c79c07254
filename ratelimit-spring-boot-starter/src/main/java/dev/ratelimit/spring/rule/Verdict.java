package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.RateLimitExceededException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all rules together said to a call.
 *
 * @param charges what each said that decided
 * @param shadowCharges what each said that only watches
 * @param exempting the rules that do not count this call
 * @param undecided the rules that let it pass since they could not be decided
 */
public record Verdict(
        List<RuleCharge> charges,
        List<RuleCharge> shadowCharges,
        List<Rule> exempting,
        List<Rule> undecided) {

    /** No rule was asked. */
    public static final Verdict NONE = new Verdict(List.of());

    public Verdict {
        charges = List.copyOf(charges);
        shadowCharges = List.copyOf(shadowCharges);
        exempting = List.copyOf(exempting);
        undecided = List.copyOf(undecided);
    }

    /** What rules said that all decided. */
    public Verdict(List<RuleCharge> charges) {
        this(charges, List.of(), List.of(), List.of());
    }

    /** The same, without the rules that did not decide. */
    Verdict withoutOthers() {
        return shadowCharges.isEmpty() && exempting.isEmpty() && undecided.isEmpty()
                ? this
                : new Verdict(charges);
    }

    /** The same, with those of the rules that were asked but have not answered. */
    Verdict withUndecided(Verdict asked) {
        if (charges.size() + shadowCharges.size()
                == asked.charges.size() + asked.shadowCharges.size()) {
            return this;
        }
        List<Rule> rules = asked.rules();
        rules.removeIf(this::has);
        return new Verdict(charges, shadowCharges, exempting, rules);
    }

    /** The same demands once more, without answers. */
    public Verdict again() {
        return new Verdict(again(charges), again(shadowCharges), exempting, undecided);
    }

    private static List<RuleCharge> again(List<RuleCharge> charges) {
        List<RuleCharge> again = new ArrayList<>(charges.size());
        for (RuleCharge charge : charges) {
            again.add(charge.rule().charge(charge.key(), charge.charge().permits()));
        }
        return again;
    }

    /** All rules that were asked. */
    List<Rule> rules() {
        List<Rule> rules = new ArrayList<>(exempting);
        charges.forEach(charge -> rules.add(charge.rule()));
        shadowCharges.forEach(charge -> rules.add(charge.rule()));
        return rules;
    }

    /** Whether no rule was asked. */
    public boolean isEmpty() {
        return charges.isEmpty()
                && shadowCharges.isEmpty()
                && exempting.isEmpty()
                && undecided.isEmpty();
    }

    /** Whether no rule refused. */
    public boolean allowed() {
        // By index, here and below: for each request an iterator would be garbage.
        for (int i = 0; i < charges.size(); i++) {
            if (!charges.get(i).charge().allowed()) {
                return false;
            }
        }
        return true;
    }

    /** Whether this is a refusal because the store did not answer. */
    public boolean unavailable() {
        for (RuleCharge charge : charges) {
            if (charge.unavailable()) {
                return true;
            }
        }
        return false;
    }

    /** What clients are to see of this: no numbers where there are none. */
    public Verdict shown() {
        return unavailable() ? new Verdict(List.of(), shadowCharges, exempting, undecided) : this;
    }

    /** The answer to show; null if no rule decided. */
    public @Nullable RuleCharge deciding() {
        RuleCharge deciding = null;
        for (int i = 0; i < charges.size(); i++) {
            RuleCharge charge = charges.get(i);
            if (deciding == null || charge.isStricterThan(deciding)) {
                deciding = charge;
            }
        }
        return deciding;
    }

    /**
     * This verdict and a later one to the same request. Of two answers of one rule, the later about
     * the same key stays, or the stricter.
     */
    public Verdict and(Verdict later) {
        if (isEmpty()) {
            return later;
        }
        List<RuleCharge> all = new ArrayList<>(charges);
        for (RuleCharge charge : later.charges) {
            int index = indexOf(charge.rule());
            if (index < 0) {
                all.add(charge);
            } else if (charge.key().equals(all.get(index).key())
                    || charge.isStricterThan(all.get(index))) {
                all.set(index, charge);
            }
        }
        return new Verdict(
                all,
                joined(shadowCharges, later.shadowCharges),
                joined(exempting, later.exempting),
                joined(undecided, later.undecided));
    }

    private static <T> List<T> joined(List<T> list, List<T> more) {
        if (list.isEmpty() || more.isEmpty()) {
            return list.isEmpty() ? more : list;
        }
        List<T> joined = new ArrayList<>(list);
        joined.addAll(more);
        return joined;
    }

    /** Whether a rule was asked. */
    public boolean has(Rule rule) {
        if (indexOf(rule) >= 0 || exempting.contains(rule) || undecided.contains(rule)) {
            return true;
        }
        for (RuleCharge shadow : shadowCharges) {
            if (shadow.rule() == rule) {
                return true;
            }
        }
        return false;
    }

    private int indexOf(Rule rule) {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).rule() == rule) {
                return i;
            }
        }
        return -1;
    }

    /** The rules that refused, by the names that clients see. */
    public List<String> violatedPolicies(PolicyNames names) {
        List<String> violated = new ArrayList<>(charges.size());
        for (RuleCharge charge : charges) {
            if (!charge.charge().allowed()) {
                violated.add(names.of(charge.rule()));
            }
        }
        return violated;
    }

    /** What to throw, of a verdict that is not allowed. */
    public RateLimitExceededException toException() {
        RuleCharge deciding = deciding();
        if (deciding == null || allowed()) {
            throw new IllegalStateException("Nothing was refused: " + this);
        }
        return new RefusedCallException(
                deciding.charge().decision(),
                deciding.rule().name(),
                violatedPolicies(PolicyNames.of(this)),
                this);
    }
}
