package dev.ratelimit.spring.rule;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which requests a rule is for. Annotations that name the rule do not look at this.
 *
 * @param paths the path patterns; none for a rule that only annotations and code use
 * @param excludePaths path patterns that are taken out again
 * @param methods HTTP methods, in upper case whatever is given; none for all
 * @param phase when they are decided on
 * @param countStatuses the statuses of the responses that count; none for all
 */
public record RuleRequests(
        List<String> paths,
        List<String> excludePaths,
        List<String> methods,
        RulePhase phase,
        Set<Integer> countStatuses) {

    /** No requests: the rule is for annotations and code. */
    public static final RuleRequests NONE =
            new RuleRequests(List.of(), List.of(), List.of(), RulePhase.HANDLER, Set.of());

    public RuleRequests {
        paths = List.copyOf(paths);
        excludePaths = List.copyOf(excludePaths);
        methods = methods.stream().map(method -> method.toUpperCase(Locale.ROOT)).toList();
        countStatuses = Set.copyOf(countStatuses);
    }
}
