package dev.ratelimit.spring.method;

import dev.ratelimit.spring.rule.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A method with its rules, ready to be called.
 *
 * @param rules all of its annotations' rules, each once
 * @param needsAdvice whether the interceptor cannot decide by them
 * @param advised what its annotations say besides
 * @param onRefusal the same by rule
 * @param waits whether calls may wait for permits
 */
record LimitedMethod(
        List<Rule> rules,
        boolean needsAdvice,
        AdvisedMethod advised,
        Map<Rule, OnRefusal> onRefusal,
        boolean waits) {

    static LimitedMethod of(
            List<DeclaredLimit> limits, Map<DeclaredLimit, Rule> ruleOf, AdvisedMethod advised) {
        Map<Rule, OnRefusal> onRefusal = new HashMap<>();
        for (DeclaredLimit limit : limits) {
            onRefusal.merge(
                    Objects.requireNonNull(ruleOf.get(limit)),
                    Objects.requireNonNull(advised.onRefusal().get(limit)),
                    OnRefusal::and);
        }
        return new LimitedMethod(
                limits.stream().map(ruleOf::get).distinct().toList(),
                limits.stream().anyMatch(DeclaredLimit::needsAdvice),
                advised,
                onRefusal,
                limits.stream().anyMatch(DeclaredLimit::hasMaxWait));
    }

    OnRefusal onRefusal(Rule rule) {
        return onRefusal.getOrDefault(rule, OnRefusal.THROW);
    }
}
