package dev.ratelimit.spring.actuate;

import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Shows the rules, what they have decided, and for whom most often. */
@Endpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
public final class RateLimitEndpoint {

    private final Rules rules;

    /**
     * Makes the endpoint.
     *
     * @param rules what it shows
     */
    public RateLimitEndpoint(Rules rules) {
        this.rules = rules;
    }

    /** All rules, by name. */
    @ReadOperation
    public AllRules all() {
        return new AllRules(
                rules.store().name(), rules.all().stream().map(RuleSummary::of).toList());
    }

    /** One rule and its keys; null, which is status 404, if there is none of that name. */
    @ReadOperation
    public @Nullable RuleDetails one(@Selector String rule) {
        Rule found = rules.find(rule);
        return found == null ? null : RuleDetails.of(found);
    }

    /**
     * All rules.
     *
     * @param store where their buckets are
     * @param rules by name
     */
    public record AllRules(String store, List<RuleSummary> rules) {}
}
