package dev.ratelimit.spring.actuate;

import dev.ratelimit.Charge;
import dev.ratelimit.Decision;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.spring.actuate.RuleSummary.LimitSummary;
import dev.ratelimit.spring.rule.BusyKeys.BusyKey;
import dev.ratelimit.spring.rule.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RuleSummary}, and the keys that it was most about.
 *
 * @param top at most 20 keys, those first that were rejected most, and of equals the busier
 */
public record RuleDetails(
        String name,
        String source,
        List<String> paths,
        List<String> methods,
        List<String> key,
        String mode,
        List<LimitSummary> limits,
        long allowed,
        long rejected,
        long buckets,
        List<KeySummary> top) {

    private static final int TOP = 20;

    static RuleDetails of(Rule rule) {
        RuleSummary summary = RuleSummary.of(rule);
        return new RuleDetails(
                summary.name(),
                summary.source(),
                summary.paths(),
                summary.methods(),
                summary.key(),
                summary.mode(),
                summary.limits(),
                summary.allowed(),
                summary.rejected(),
                summary.buckets(),
                rule.busyKeys().mostRejected(TOP).stream()
                        .map(busy -> KeySummary.of(rule, busy))
                        .toList());
    }

    /**
     * One key. Where a rule has more keys than it can watch, its counts may lack some decisions.
     *
     * @param id the key, or its hash if it is a secret
     * @param allowed how often it was allowed
     * @param rejected how often it was rejected
     * @param remaining how many permits it has left, under the limit that decides; null if the
     *     store does not answer
     * @param reset when it will have more, in seconds since the epoch; null likewise
     */
    public record KeySummary(
            String id,
            long allowed,
            long rejected,
            @Nullable Long remaining,
            @Nullable Long reset) {

        private static KeySummary of(Rule rule, BusyKey busy) {
            Charge charge = new Charge(rule.limitsOf(busy.key()), busy.key(), 1);
            try {
                charge.limits().peek(charge);
            } catch (StoreUnavailableException e) {
                return new KeySummary(busy.key().id(), busy.allowed(), busy.rejected(), null, null);
            }
            Decision now = charge.decision();
            return new KeySummary(
                    busy.key().id(),
                    busy.allowed(),
                    busy.rejected(),
                    now.remaining(),
                    now.resetEpochSeconds());
        }
    }
}
