package dev.ratelimit.spring.rule;

import java.util.List;
import java.util.Locale;

/**
 * A rule as it was declared, with each value valid by itself.
 *
 * @param name its name, unique
 * @param displayName what clients see; {@code default} for an annotation without a name
 * @param source the kind of declaration
 * @param where the declaration, for messages: {@code ratelimit.rules.search}, or a method
 * @param paths the path patterns; none for a rule that only annotations and code use
 * @param excludePaths path patterns that are taken out again
 * @param methods HTTP methods, in upper case whatever is given; none for all
 * @param key the parts of the key as they are written; none for the default
 * @param permits what a request costs, at least 1
 * @param limits at least one
 */
public record RuleDefinition(
        String name,
        String displayName,
        RuleSource source,
        String where,
        List<String> paths,
        List<String> excludePaths,
        List<String> methods,
        List<String> key,
        long permits,
        List<RuleLimit> limits) {

    public RuleDefinition {
        paths = List.copyOf(paths);
        excludePaths = List.copyOf(excludePaths);
        methods = methods.stream().map(method -> method.toUpperCase(Locale.ROOT)).toList();
        key = List.copyOf(key);
        limits = List.copyOf(limits);
    }

    /**
     * Where a part of this is declared, for messages.
     *
     * @param part such as {@code paths}
     * @return {@code ratelimit.rules.search.paths}, or {@code paths of @RateLimited on ...}
     */
    public String where(String part) {
        return source.where(where, part);
    }
}
