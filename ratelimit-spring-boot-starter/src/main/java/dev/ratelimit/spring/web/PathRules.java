package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleListener;
import dev.ratelimit.spring.rule.RulePhase;
import dev.ratelimit.spring.rule.Rules;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/** The rules that say for which paths they are. */
public final class PathRules implements RuleListener, SmartInitializingSingleton {

    private final Rules all;
    private final Supplier<PathPatternParser> parser;
    private volatile PathRule[] rules = {};
    private volatile PathRule[] filterRules = {};
    private volatile boolean countsStatuses;

    /**
     * Makes this.
     *
     * @param all the rules, with and without paths
     * @param parser reads patterns as the application's own mappings are read; available when all
     *     beans are
     */
    public PathRules(Rules all, Supplier<PathPatternParser> parser) {
        this.all = all;
        this.parser = parser;
    }

    /** Not earlier, for the parser; not later, since a pattern that is none stops the start. */
    @Override
    public void afterSingletonsInstantiated() {
        changed();
        all.listen(this);
    }

    @Override
    public void check(RuleDefinition definition) {
        PathRule.check(definition, parser.get());
    }

    @Override
    public void changed() {
        PathPatternParser patterns = parser.get();
        rules =
                all.all().stream()
                        .filter(rule -> !rule.definition().requests().paths().isEmpty())
                        .map(rule -> PathRule.of(rule, patterns))
                        .toArray(PathRule[]::new);
        filterRules =
                Arrays.stream(rules)
                        .filter(rule -> rule.requests().phase() == RulePhase.FILTER)
                        .toArray(PathRule[]::new);
        countsStatuses =
                Arrays.stream(rules).anyMatch(rule -> !rule.requests().countStatuses().isEmpty());
    }

    /** Whether requests are decided on before Spring Security. */
    boolean hasFilterRules() {
        return filterRules.length > 0;
    }

    /** Whether there are rules for which only some responses count. */
    boolean countsStatuses() {
        return countsStatuses;
    }

    /**
     * The rules whose paths and methods match, by name. Those of the filter phase too: the path may
     * have been rewritten since then, and what reaches a handler is counted.
     */
    List<Rule> matching(HttpServletRequest request) {
        PathRule[] candidates = rules;
        return candidates.length == 0
                ? List.of()
                : matching(candidates, request.getMethod(), RoutedPath.of(request));
    }

    /** The rules of the filter phase whose paths and methods match, by name. */
    List<Rule> matchingInFilter(String method, PathContainer path) {
        return matching(filterRules, method, path);
    }

    private static List<Rule> matching(PathRule[] candidates, String method, PathContainer path) {
        List<Rule> matching = List.of();
        for (PathRule candidate : candidates) {
            if (candidate.matches(method, path)) {
                if (matching.isEmpty()) {
                    matching = candidate.alone();
                } else {
                    if (matching.size() == 1) {
                        matching = new ArrayList<>(matching);
                    }
                    matching.add(candidate.rule());
                }
            }
        }
        return matching;
    }

    /** The value of a path variable in the first rule that matches and has it in its key. */
    @Nullable String variable(HttpServletRequest request, String name) {
        PathContainer path = RoutedPath.of(request);
        String method = request.getMethod();
        for (PathRule candidate : rules) {
            if (candidate.matches(method, path)) {
                String value = candidate.variable(path, name);
                if (value != null) {
                    return value;
                }
            }
        }
        return null;
    }
}
