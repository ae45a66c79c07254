package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleRequests;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** A rule with its path patterns. */
final class PathRule {

    private static final Pattern ENCODED = Pattern.compile("%\\p{XDigit}{2}");

    private final Rule rule;
    private final List<Rule> alone;
    private final PathPattern[] paths;
    private final PathPattern[] excludePaths;
    private final Set<String> methods;
    private final Set<String> keyVariables;

    private PathRule(
            Rule rule,
            PathPattern[] paths,
            PathPattern[] excludePaths,
            Set<String> methods,
            Set<String> keyVariables) {
        this.rule = rule;
        this.alone = List.of(rule);
        this.paths = paths;
        this.excludePaths = excludePaths;
        this.methods = methods;
        this.keyVariables = keyVariables;
    }

    /**
     * Reads the patterns of a rule.
     *
     * @param rule a rule with paths
     * @param parser reads them
     * @return the rule to match requests with
     * @throws InvalidRuleException if a pattern cannot be read, or could match no path, or has none
     *     of the variables in the rule's key
     */
    static PathRule of(Rule rule, PathPatternParser parser) {
        RuleDefinition definition = rule.definition();
        RuleRequests requests = definition.requests();
        Set<String> methods = new TreeSet<>(requests.methods());
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        return new PathRule(
                rule,
                parse(definition, "paths", requests.paths(), parser),
                parse(definition, "exclude-paths", requests.excludePaths(), parser),
                methods,
                KeyVariables.of(definition));
    }

    /**
     * Reads the patterns of a rule that is to be.
     *
     * @throws InvalidRuleException if a pattern cannot be read, or could match no path
     */
    static void check(RuleDefinition definition, PathPatternParser parser) {
        parse(definition, "paths", definition.requests().paths(), parser);
        parse(definition, "exclude-paths", definition.requests().excludePaths(), parser);
        KeyVariables.of(definition);
    }

    private static PathPattern[] parse(
            RuleDefinition definition, String part, List<String> paths, PathPatternParser parser) {
        PathPattern[] patterns = new PathPattern[paths.size()];
        for (int i = 0; i < patterns.length; i++) {
            patterns[i] = parse(paths.get(i), definition.where(part + "[" + i + "]"), parser);
        }
        return patterns;
    }

    private static PathPattern parse(String pattern, String where, PathPatternParser parser) {
        if (!pattern.startsWith("/")) {
            throw new InvalidRuleException(
                    where,
                    "The path '" + pattern + "' does not begin with '/', so no path matches it.",
                    "Write '/...', without scheme, host and context path.");
        }
        checkCharacters(pattern, where);
        try {
            return parser.parse(RoutedPath.withoutTrailingSlashes(pattern));
        } catch (PatternParseException e) {
            throw new InvalidRuleException(
                    where,
                    "The path '" + pattern + "' is not a pattern: " + e.getMessage() + ".",
                    "Use literal parts, '*' and '{name}' for one part of a path, and '/**' at the"
                            + " end for all that follow.");
        }
    }

    /** Refuses what no decoded path has, unless it is in a variable's regular expression. */
    private static void checkCharacters(String pattern, String where) {
        int depth = 0;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '{') {
                depth++;
            } else if (c == '}') {
                depth--;
            } else if (depth == 0) {
                checkCharacter(c, pattern, i, where);
            }
        }
    }

    private static void checkCharacter(char c, String pattern, int index, String where) {
        if (c == '?') {
            throw new InvalidRuleException(
                    where,
                    "The path '" + pattern + "' has a '?', but no path contains the query.",
                    "Leave the query out; to count by a parameter, add query:NAME to the key.");
        }
        if (c == ';' || c == '#') {
            throw new InvalidRuleException(
                    where,
                    "The path '" + pattern + "' has a '" + c + "', where a path ends.",
                    "Leave out what follows: it does not matter for the path.");
        }
        if (c == '%' && ENCODED.matcher(pattern).region(index, pattern.length()).lookingAt()) {
            throw new InvalidRuleException(
                    where,
                    "The path '" + pattern + "' is encoded, but paths are matched decoded.",
                    "Write the characters themselves, such as a space in place of %20.");
        }
    }

    Rule rule() {
        return rule;
    }

    RuleRequests requests() {
        return rule.definition().requests();
    }

    /** A list of only this rule. */
    List<Rule> alone() {
        return alone;
    }

    boolean matches(String method, PathContainer path) {
        return (methods.isEmpty() || methods.contains(method))
                && anyMatches(paths, path)
                && !anyMatches(excludePaths, path);
    }

    private static boolean anyMatches(PathPattern[] patterns, PathContainer path) {
        for (PathPattern pattern : patterns) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    /** The value of a path variable that the rule's key has; null if its key does not have it. */
    @Nullable String variable(PathContainer path, String name) {
        if (!keyVariables.contains(name)) {
            return null;
        }
        for (PathPattern pattern : paths) {
            PathPattern.PathMatchInfo match = pattern.matchAndExtract(path);
            String value = match == null ? null : match.getUriVariables().get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
