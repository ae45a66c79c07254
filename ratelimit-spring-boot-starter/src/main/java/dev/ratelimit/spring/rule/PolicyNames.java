package dev.ratelimit.spring.rule;

import java.util.List;

/**
 * What the limits of one response are called in its header fields and its body: each by its rule,
 * and where that name is taken, with a number. What comes later changes no name.
 */
public final class PolicyNames {

    private final List<RuleCharge> charges;
    private final String[][] names;

    private PolicyNames(List<RuleCharge> charges) {
        this.charges = charges;
        this.names = new String[charges.size()][];
        for (int i = 0; i < names.length; i++) {
            names[i] = new String[charges.get(i).charge().configured().size()];
            String name = charges.get(i).rule().definition().displayName();
            for (int limit = 0; limit < names[i].length; limit++) {
                names[i][limit] = free(name, i, limit);
            }
        }
    }

    /** Names all limits that decided. */
    public static PolicyNames of(Verdict verdict) {
        return new PolicyNames(verdict.charges());
    }

    private String free(String name, int charge, int limit) {
        String free = name;
        for (int number = 2; isTaken(free, charge, limit); number++) {
            free = name + "-" + number;
        }
        return free;
    }

    /** Whether one of the limits before has a name. There are few. */
    private boolean isTaken(String name, int charge, int limit) {
        for (int i = 0; i <= charge; i++) {
            int end = i < charge ? names[i].length : limit;
            for (int j = 0; j < end; j++) {
                if (names[i][j].equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The name of a rule, which is that of its first limit. */
    public String of(Rule rule) {
        return of(rule, 0);
    }

    /** The name of one of a rule's limits. */
    public String of(Rule rule, int limit) {
        for (int i = 0; i < names.length; i++) {
            if (charges.get(i).rule() == rule) {
                return names[i][limit];
            }
        }
        return rule.definition().displayName();
    }
}
