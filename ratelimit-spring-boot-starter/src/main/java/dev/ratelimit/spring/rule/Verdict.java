package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.RateLimitExceededException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all rules together said to a call.
 *
 * @param charges what each said; none if no rule decided
 */
public record Verdict(List<RuleCharge> charges) {

    /** No rule decided. */
    public static final Verdict NONE = new Verdict(List.of());

    public Verdict {
        charges = List.copyOf(charges);
    }

    /** Whether no rule refused. */
    public boolean allowed() {
        for (RuleCharge charge : charges) {
            if (!charge.charge().allowed()) {
                return false;
            }
        }
        return true;
    }

    /** The answer to show; null if no rule decided. */
    public @Nullable RuleCharge deciding() {
        RuleCharge deciding = null;
        for (RuleCharge charge : charges) {
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
        if (charges.isEmpty()) {
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
        return new Verdict(all);
    }

    /** Whether a rule was asked. */
    public boolean has(Rule rule) {
        return indexOf(rule) >= 0;
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
        return charges.stream()
                .filter(charge -> !charge.charge().allowed())
                .map(charge -> names.of(charge.rule()))
                .toList();
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
