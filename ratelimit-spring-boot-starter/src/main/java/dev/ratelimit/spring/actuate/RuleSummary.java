package dev.ratelimit.spring.actuate;

import dev.ratelimit.Limit;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A rule, and how often it decided what.
 *
 * @param name its name
 * @param source {@code properties}, {@code annotation} or {@code java}
 * @param paths path patterns; none where only annotations and code use the rule
 * @param methods HTTP methods; none for all
 * @param key who is counted, such as {@code ip}
 * @param mode {@code enforce}, {@code shadow} or {@code off}
 * @param limits at least one
 * @param allowed how many decisions allowed a call
 * @param rejected how many decisions this rule rejected, or would have under mode {@code shadow}
 * @param buckets how many keys have buckets
 */
public record RuleSummary(
        String name,
        String source,
        List<String> paths,
        List<String> methods,
        List<String> key,
        String mode,
        List<LimitSummary> limits,
        long allowed,
        long rejected,
        long buckets) {

    static RuleSummary of(Rule rule) {
        RuleDefinition definition = rule.definition();
        return new RuleSummary(
                rule.name(),
                definition.source().name().toLowerCase(Locale.ROOT),
                definition.requests().paths(),
                definition.requests().methods(),
                rule.key().parts(),
                definition.mode().name().toLowerCase(Locale.ROOT),
                limits(rule),
                rule.counters().of(Outcome.ALLOWED),
                rule.counters().of(Outcome.REJECTED) + rule.counters().of(Outcome.SHADOW_REJECTED),
                rule.buckets());
    }

    /** The numbers as they are now, under the strategies as they were declared. */
    private static List<LimitSummary> limits(Rule rule) {
        List<LimitSummary> limits = new ArrayList<>();
        for (Limit limit : rule.limits().limits()) {
            String strategy = rule.definition().limits().get(limits.size()).strategy();
            limits.add(
                    new LimitSummary(
                            limit.config().requests(),
                            Duration.ofNanos(limit.config().windowNanos()).toString(),
                            limit.config().burst(),
                            strategy));
        }
        return limits;
    }

    /**
     * One limit.
     *
     * @param requests how many per window
     * @param window how long a window is, in ISO 8601
     * @param burst what the limit can give at once: as many as requests where no burst is set
     * @param strategy how it counts: {@code token-bucket}, or the name of a bean
     */
    public record LimitSummary(long requests, String window, long burst, String strategy) {}
}
