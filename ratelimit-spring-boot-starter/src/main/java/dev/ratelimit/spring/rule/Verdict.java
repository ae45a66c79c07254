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

    /** This verdict and a later one to the same request. */
    public Verdict and(Verdict later) {
        if (charges.isEmpty()) {
            return later;
        }
        List<RuleCharge> all = new ArrayList<>(charges);
        all.addAll(later.charges);
        return new Verdict(all);
    }

    /** What to throw, of a verdict that is not allowed. */
    public RateLimitExceededException toException() {
        RuleCharge deciding = deciding();
        if (deciding == null || allowed()) {
            throw new IllegalStateException("Nothing was refused: " + this);
        }
        List<String> violated =
                charges.stream()
                        .filter(charge -> !charge.charge().allowed())
                        .map(charge -> charge.rule().definition().displayName())
                        .distinct()
                        .toList();
        return new RateLimitExceededException(
                deciding.charge().decision(), deciding.rule().name(), violated);
    }
}
