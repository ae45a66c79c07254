package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.autoconfigure.RateLimitProperties.LimitProperties;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.LimitsProperties;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.RuleProperties;
import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.rule.Durations;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.IpNetworks;
import dev.ratelimit.spring.rule.Permits;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimit;
import dev.ratelimit.spring.rule.RuleLimits;
import dev.ratelimit.spring.rule.RulePlans;
import dev.ratelimit.spring.rule.RuleRequests;
import dev.ratelimit.spring.rule.RuleSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the rules under {@code ratelimit.rules}. */
final class PropertyRules {

    private static final String DEFAULT_STRATEGY = "fixed-window";

    private static final Pattern NUMBER = Pattern.compile("[+-]?[\\d.]+([eE][+-]?\\d+)?");

    private final RuleLimits ruleLimits;
    private final Expressions expressions;

    PropertyRules(RuleLimits ruleLimits, Expressions expressions) {
        this.ruleLimits = ruleLimits;
        this.expressions = expressions;
    }

    List<RuleDefinition> read(Map<String, RuleProperties> rules) {
        List<RuleDefinition> definitions = new ArrayList<>();
        rules.forEach(
                (name, rule) -> {
                    if (!isSpelledWithoutDashes(name, rules)) {
                        definitions.add(read(name, rule));
                    }
                });
        return definitions;
    }

    /**
     * Environment variables cannot have dashes: one for {@code my-rule} comes as {@code myrule} as
     * well, with the same values.
     */
    private static boolean isSpelledWithoutDashes(String name, Map<String, RuleProperties> rules) {
        return rules.keySet().stream()
                .anyMatch(other -> other.contains("-") && other.replace("-", "").equals(name));
    }

    private RuleDefinition read(String name, RuleProperties rule) {
        String where = "ratelimit.rules." + name;
        LimitsProperties own =
                new LimitsProperties(
                        rule.strategy(),
                        rule.requests(),
                        rule.window(),
                        rule.burst(),
                        rule.limits());
        RuleDefinition.Builder definition =
                RuleDefinition.builder(name, RuleSource.PROPERTIES, where)
                        .requests(requests(where, rule))
                        .key(list(where + ".key", rule.key(), "a rule counts by ip"))
                        .mode(rule.mode())
                        .onFailure(rule.onFailure())
                        .plans(plans(where, rule, own));
        if (rule.permits() != null) {
            definition.permits(permits(where + ".permits", rule.permits()));
        }
        if (!rule.exemptIps().isEmpty()) {
            IpNetworks exempt =
                    IpNetworks.parse(rule.exemptIps(), i -> where + ".exempt-ips[" + i + "]");
            definition.exempt(caller -> exempt.contains(caller.clientAddress()));
        }
        if (rule.when() != null) {
            definition.exempt(expressions.condition(where + ".when", rule.when(), false));
        }
        if (rule.unless() != null) {
            definition.exempt(expressions.condition(where + ".unless", rule.unless(), true));
        }
        limits(where, own).forEach(definition::limit);
        return definition.build();
    }

    private static RuleRequests requests(String where, RuleProperties rule) {
        Set<Integer> countStatuses = new LinkedHashSet<>();
        for (String status : rule.countStatuses()) {
            countStatuses.add(status(where + ".count-statuses", status));
        }
        return new RuleRequests(
                list(where + ".paths", rule.paths(), "a rule is for annotations and code only"),
                rule.excludePaths(),
                rule.methods(),
                rule.phase(),
                countStatuses);
    }

    private static int status(String property, String text) {
        return (int) Math.min(number(property, text), Integer.MAX_VALUE);
    }

    private Permits permits(String property, String text) {
        return NUMBER.matcher(text.strip()).matches()
                ? Permits.constant(number(property, text))
                : expressions.permits(property, text);
    }

    private @Nullable RulePlans plans(String where, RuleProperties rule, LimitsProperties own) {
        if (rule.plan() == null && rule.plans().isEmpty()) {
            return null;
        }
        if (rule.plan() == null || rule.plans().isEmpty()) {
            String missing = rule.plan() == null ? "plan" : "plans";
            throw new InvalidRuleException(
                    where + "." + missing,
                    "It is not set, and " + (rule.plan() == null ? "plans" : "plan") + " is.",
                    "Set both, such as 'plan: bean:planOf' and 'plans: { gold: { requests: 1000 }"
                            + " }'.");
        }
        Map<String, List<RuleLimit>> limits = new LinkedHashMap<>();
        rule.plans()
                .forEach(
                        (plan, written) ->
                                limits.put(
                                        plan,
                                        limits(where + ".plans." + plan, inherit(written, own))));
        return new RulePlans(rule.plan(), limits);
    }

    /** A plan with a list of limits has these only, and of the rule at most the strategy. */
    private static LimitsProperties inherit(LimitsProperties plan, LimitsProperties rule) {
        String strategy = plan.strategy() == null ? rule.strategy() : plan.strategy();
        if (!plan.limits().isEmpty()) {
            return new LimitsProperties(
                    strategy, plan.requests(), plan.window(), plan.burst(), plan.limits());
        }
        return new LimitsProperties(
                strategy,
                plan.requests() == null ? rule.requests() : plan.requests(),
                plan.window() == null ? rule.window() : plan.window(),
                plan.burst() == null ? rule.burst() : plan.burst(),
                List.of());
    }

    /** Empty is what is left of {@code ${UNSET:}}, and it would change what the rule is for. */
    private static List<String> list(
            String property, @Nullable List<String> values, String without) {
        if (values == null) {
            return List.of();
        }
        if (values.isEmpty()) {
            throw new InvalidRuleException(
                    property,
                    "It is set, but has no value.",
                    "Give it one, or remove it: without, " + without + ".");
        }
        return values;
    }

    private List<RuleLimit> limits(String where, LimitsProperties written) {
        if (written.limits().isEmpty()) {
            return List.of(
                    limit(
                            where,
                            new LimitProperties(
                                    written.requests(),
                                    written.window(),
                                    written.burst(),
                                    written.strategy())));
        }
        requireUnset(where + ".requests", written.requests());
        requireUnset(where + ".window", written.window());
        requireUnset(where + ".burst", written.burst());
        List<RuleLimit> limits = new ArrayList<>();
        for (LimitProperties limit : written.limits()) {
            String strategy = limit.strategy() == null ? written.strategy() : limit.strategy();
            limits.add(
                    limit(
                            where + ".limits[" + limits.size() + "]",
                            new LimitProperties(
                                    limit.requests(), limit.window(), limit.burst(), strategy)));
        }
        return limits;
    }

    private static void requireUnset(String property, @Nullable String value) {
        if (value != null) {
            throw new InvalidRuleException(
                    property,
                    "It is set to '" + value + "', and the rule has limits too.",
                    "Move it into the list under 'limits', or remove that list.");
        }
    }

    private RuleLimit limit(String where, LimitProperties limit) {
        String strategy = limit.strategy() == null ? DEFAULT_STRATEGY : limit.strategy();
        return ruleLimits.limit(
                part -> where + "." + part,
                number(where + ".requests", required(where + ".requests", limit.requests())),
                Durations.parse(where + ".window", required(where + ".window", limit.window())),
                limit.burst() == null ? null : number(where + ".burst", limit.burst()),
                strategy.strip());
    }

    private static String required(String property, @Nullable String value) {
        if (value == null) {
            throw new InvalidRuleException(
                    property,
                    "It is not set.",
                    "Set both 'requests' and 'window', such as 'requests: 100' and 'window: 1m'.");
        }
        return value;
    }

    private static long number(String property, String value) {
        try {
            return Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            throw new InvalidRuleException(
                    property,
                    "'" + value + "' is not a whole number.",
                    "Write digits only, such as 100.");
        }
    }
}
