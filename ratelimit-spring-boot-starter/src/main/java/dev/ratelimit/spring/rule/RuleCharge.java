package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.spring.key.Key;

/**
 * What one rule said to a call.
 *
 * @param rule the rule
 * @param key who was counted
 * @param charge what was demanded and answered
 * @param unavailable whether this is a refusal because the store did not answer
 */
public record RuleCharge(Rule rule, Key key, Charge charge, boolean unavailable) {

    /** What the store answers. */
    RuleCharge(Rule rule, Key key, Charge charge) {
        this(rule, key, charge, false);
    }

    /** Whether this answer, rather than another to the same client, is the one to show. */
    boolean isStricterThan(RuleCharge other) {
        int strictness = charge.compareStrictness(other.charge);
        return strictness > 0 || (strictness == 0 && rule.name().compareTo(other.rule.name()) < 0);
    }
}
