package dev.ratelimit.spring.rule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the limits of one response are called in its header fields and its body: each by its rule,
 * and where that name is taken, with a number. What comes later changes no name.
 */
public final class PolicyNames {

    private final Map<Rule, List<String>> names = new LinkedHashMap<>();

    private PolicyNames() {}

    /** Names all limits that decided. */
    public static PolicyNames of(Verdict verdict) {
        PolicyNames policyNames = new PolicyNames();
        Set<String> taken = new HashSet<>();
        for (RuleCharge charge : verdict.charges()) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < charge.charge().configured().size(); i++) {
                names.add(free(charge.rule().definition().displayName(), taken));
            }
            policyNames.names.put(charge.rule(), names);
        }
        return policyNames;
    }

    private static String free(String name, Set<String> taken) {
        String free = name;
        for (int number = 2; !taken.add(free); number++) {
            free = name + "-" + number;
        }
        return free;
    }

    /** The name of a rule, which is that of its first limit. */
    public String of(Rule rule) {
        return of(rule, 0);
    }

    /** The name of one of a rule's limits. */
    public String of(Rule rule, int limit) {
        List<String> known = names.get(rule);
        return known == null ? rule.definition().displayName() : known.get(limit);
    }
}
