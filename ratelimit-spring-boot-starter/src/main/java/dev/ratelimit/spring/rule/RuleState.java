package dev.ratelimit.spring.rule;

import dev.ratelimit.KeyedLimits;
import dev.ratelimit.spring.key.PlanSelector;
import dev.ratelimit.spring.key.RuleKey;
import java.util.Map;

/**
 * What a rule is at one time.
 *
 * @param definition what was declared
 * @param key finds out who is counted
 * @param plan tells callers' plans
 * @param limits the limits of all who have no plan
 * @param limitsOfPlans the limits of the others, by the name of the plan
 */
record RuleState(
        RuleDefinition definition,
        RuleKey key,
        PlanSelector plan,
        KeyedLimits limits,
        Map<String, KeyedLimits> limitsOfPlans) {

    void close() {
        limits.close();
        limitsOfPlans.values().forEach(KeyedLimits::close);
    }
}
