package dev.ratelimit.spring.rule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits that some callers have instead of the rule's own.
 *
 * @param selector what tells a caller's plan, as it is written: {@code bean:planOf}
 * @param limits the limits of each plan, by its name
 */
public record RulePlans(String selector, Map<String, List<RuleLimit>> limits) {

    public RulePlans {
        limits = Map.copyOf(new LinkedHashMap<>(limits));
    }
}
