package dev.ratelimit.spring.method;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.key.KeyValue;
import dev.ratelimit.spring.key.Nearest;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Permits;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimit;
import dev.ratelimit.spring.rule.RuleLimits;
import dev.ratelimit.spring.rule.RuleSource;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The rules of annotations: for each the one that it names, or one of its own. */
public final class AnnotationRules {

    private final Rules rules;
    private final RuleLimits limits;
    private final Expressions expressions;
    private final Map<DeclaredLimit, Rule> known = new HashMap<>();

    /**
     * Begins with no annotation.
     *
     * @param rules knows the rules that annotations name, and receives those of the others
     * @param limits makes the limits of those
     * @param expressions reads expressions over the arguments of calls
     */
    public AnnotationRules(Rules rules, RuleLimits limits, Expressions expressions) {
        this.rules = rules;
        this.limits = limits;
        this.expressions = expressions;
    }

    /**
     * Makes what is missing of the rules of annotations, and returns them. What is given together
     * gets the same names in whatever order it is given.
     *
     * @throws InvalidRuleException if an annotation cannot work
     */
    synchronized Map<DeclaredLimit, Rule> of(Collection<DeclaredLimit> declared) {
        List<DeclaredLimit> added =
                declared.stream()
                        .distinct()
                        .filter(limit -> !known.containsKey(limit))
                        .sorted(
                                Comparator.comparing(DeclaredLimit::place)
                                        .thenComparing(DeclaredLimit::index))
                        .toList();
        added.forEach(AnnotationChecks::check);
        // A name that somebody has chosen goes before one that is made up, which can give way.
        added.stream().filter(AnnotationRules::isNamed).forEach(l -> define(l, name(l)));
        nameless(added).forEach(this::define);
        added.stream().filter(AnnotationRules::isReference).forEach(this::refer);
        return declared.stream()
                .distinct()
                .collect(
                        Collectors.toMap(
                                Function.identity(),
                                limit -> Objects.requireNonNull(known.get(limit))));
    }

    private static boolean isReference(DeclaredLimit limit) {
        return !limit.annotation().value().isEmpty();
    }

    private static boolean isNamed(DeclaredLimit limit) {
        return !isReference(limit) && !name(limit).isEmpty();
    }

    private static String name(DeclaredLimit limit) {
        return limit.annotation().name();
    }

    /** The names of those that have none, with a suffix where they would not be unique. */
    private Map<DeclaredLimit, String> nameless(List<DeclaredLimit> added) {
        Map<String, List<DeclaredLimit>> bySimpleName =
                added.stream()
                        .filter(limit -> !isReference(limit) && !isNamed(limit))
                        .collect(Collectors.groupingBy(AnnotationNames::simple));
        Map<DeclaredLimit, String> names = new HashMap<>();
        for (List<DeclaredLimit> group : bySimpleName.values()) {
            boolean ambiguous =
                    group.stream().map(DeclaredLimit::source).distinct().count() > 1
                            || group.stream()
                                    .map(limit -> AnnotationNames.of(limit, false))
                                    .anyMatch(name -> rules.find(name) != null);
            group.forEach(limit -> names.put(limit, AnnotationNames.of(limit, ambiguous)));
        }
        return names;
    }

    private void refer(DeclaredLimit limit) {
        String name = limit.annotation().value();
        Rule rule = rules.find(name);
        if (rule == null) {
            Set<String> names = rules.all().stream().map(Rule::name).collect(Collectors.toSet());
            throw new InvalidRuleException(
                    limit.where(),
                    "There is no rule '" + name + "'." + Nearest.question(name, names),
                    (names.isEmpty()
                                    ? "No rules are known."
                                    : "The known rules are "
                                            + String.join(", ", names.stream().sorted().toList())
                                            + ".")
                            + " Declare it under ratelimit.rules."
                            + name
                            + ", or correct the annotation.");
        }
        rule.use();
        known.put(limit, rule);
    }

    private void define(DeclaredLimit limit, String name) {
        RateLimited annotation = limit.annotation();
        RuleLimit ruleLimit =
                limits.limit(
                        limit::where,
                        annotation.requests(),
                        window(limit),
                        annotation.burst() == 0 ? null : annotation.burst(),
                        annotation.strategyBean().isEmpty()
                                ? RuleLimits.name(annotation.strategy())
                                : annotation.strategyBean());
        Rule rule =
                rules.add(
                        RuleDefinition.builder(name, RuleSource.ANNOTATION, limit.where())
                                .displayName(annotation.name().isEmpty() ? "default" : name)
                                .key(List.of(annotation.key()))
                                .keyExpressions(keyExpressions(limit))
                                .permits(permits(limit))
                                .limit(ruleLimit)
                                .build());
        known.put(limit, rule);
    }

    private static Duration window(DeclaredLimit limit) {
        RateLimited annotation = limit.annotation();
        try {
            return Duration.of(annotation.window(), annotation.unit().toChronoUnit());
        } catch (ArithmeticException e) {
            return Duration.ofSeconds(Long.MAX_VALUE);
        }
    }

    /** Whether each method has the arguments that are named is checked where methods are known. */
    private Map<String, KeyValue> keyExpressions(DeclaredLimit limit) {
        Map<String, KeyValue> values = new HashMap<>();
        for (String part : limit.annotation().key()) {
            if (DeclaredLimit.isExpression(part)) {
                String where = limit.where("key");
                values.put(part, expressions.key(where, part, Expressions.variables(where, part)));
            }
        }
        return values;
    }

    private Permits permits(DeclaredLimit limit) {
        String permits = limit.annotation().permits();
        String where = limit.where("permits");
        if (DeclaredLimit.isExpression(permits)) {
            return expressions.permits(where, permits, Expressions.variables(where, permits));
        }
        try {
            return Permits.constant(Long.parseLong(permits.strip()));
        } catch (NumberFormatException e) {
            throw new InvalidRuleException(
                    where,
                    "'" + permits + "' is not a number, nor an expression, which begins with #.",
                    "Set it to what one call costs; 1 is the default.");
        }
    }
}
