package dev.ratelimit.spring.method;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Whether the attributes of an annotation go together. */
final class AnnotationChecks {

    private AnnotationChecks() {}

    /**
     * Checks what can be seen without knowing any rule or method.
     *
     * @throws InvalidRuleException if it cannot work
     */
    static void check(DeclaredLimit limit) {
        RateLimited annotation = limit.annotation();
        List<String> own = ownAttributes(annotation);
        if (!annotation.value().isEmpty()) {
            if (!own.isEmpty()) {
                throw new InvalidRuleException(
                        limit.where(),
                        "It names the rule '"
                                + annotation.value()
                                + "', which brings all its settings, and sets "
                                + String.join(", ", own)
                                + " as well.",
                        "Remove either the rule's name or " + String.join(", ", own) + ".");
            }
        } else if (annotation.requests() == 0) {
            throw new InvalidRuleException(
                    limit.where(),
                    "It has neither a rule nor requests.",
                    "Name a rule, as in @RateLimited(\"search\"), or give a limit, as in"
                            + " @RateLimited(requests = 100, window = 1).");
        } else if (own.contains("strategy") && own.contains("strategyBean")) {
            throw new InvalidRuleException(
                    limit.where(),
                    "It has both a strategy, "
                            + annotation.strategy()
                            + ", and a strategyBean, '"
                            + annotation.strategyBean()
                            + "'.",
                    "Remove one of the two.");
        }
    }

    /** The attributes that are set, as far as one can see, other than the name of a rule. */
    private static List<String> ownAttributes(RateLimited annotation) {
        List<String> set = new ArrayList<>();
        add(set, "requests", annotation.requests() != 0);
        add(set, "window", annotation.window() != 1);
        add(set, "unit", annotation.unit() != TimeUnit.SECONDS);
        add(set, "burst", annotation.burst() != 0);
        add(set, "strategy", annotation.strategy() != LimitStrategy.FIXED_WINDOW);
        add(set, "strategyBean", !annotation.strategyBean().isEmpty());
        add(set, "key", annotation.key().length != 0);
        add(set, "permits", !annotation.permits().equals("1"));
        add(set, "name", !annotation.name().isEmpty());
        return set;
    }

    private static void add(List<String> set, String name, boolean isSet) {
        if (isSet) {
            set.add(name);
        }
    }
}
