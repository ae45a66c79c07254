package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.autoconfigure.RateLimitProperties.LimitProperties;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.RuleProperties;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimit;
import dev.ratelimit.spring.rule.RuleLimits;
import dev.ratelimit.spring.rule.RuleSource;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Reads the rules under {@code ratelimit.rules}. */
final class PropertyRules {

    private static final String DEFAULT_STRATEGY = "fixed-window";

    /** Boot's own style takes 1M for a minute, and a bare number for milliseconds. */
    private static final Pattern SIMPLE_DURATION = Pattern.compile("\\d+(ns|us|ms|s|m|h|d)?");

    private final RuleLimits ruleLimits;

    PropertyRules(RuleLimits ruleLimits) {
        this.ruleLimits = ruleLimits;
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
        return new RuleDefinition(
                name,
                name,
                RuleSource.PROPERTIES,
                where,
                list(where + ".paths", rule.paths(), "a rule is for annotations and code only"),
                rule.excludePaths(),
                rule.methods(),
                list(where + ".key", rule.key(), "a rule counts by ip"),
                rule.permits() == null ? 1 : number(where + ".permits", rule.permits()),
                limits(where, rule));
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

    private List<RuleLimit> limits(String where, RuleProperties rule) {
        if (rule.limits().isEmpty()) {
            return List.of(
                    limit(
                            where,
                            new LimitProperties(
                                    rule.requests(),
                                    rule.window(),
                                    rule.burst(),
                                    rule.strategy())));
        }
        requireUnset(where + ".requests", rule.requests());
        requireUnset(where + ".window", rule.window());
        requireUnset(where + ".burst", rule.burst());
        List<RuleLimit> limits = new ArrayList<>();
        for (LimitProperties limit : rule.limits()) {
            String strategy = limit.strategy() == null ? rule.strategy() : limit.strategy();
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
                window(where + ".window", required(where + ".window", limit.window())),
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

    private static Duration window(String property, String value) {
        String text = value.strip();
        try {
            if (SIMPLE_DURATION.matcher(text).matches()) {
                return DurationStyle.SIMPLE.parse(text, ChronoUnit.SECONDS);
            }
            return DurationStyle.ISO8601.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                    property,
                    "'" + value + "' is not a length of time.",
                    "Write a number and a unit without a space between them: 500ms, 1s, 5m, 1h or"
                            + " 1d, or as in PT1S; a number alone is seconds.");
        }
    }
}
