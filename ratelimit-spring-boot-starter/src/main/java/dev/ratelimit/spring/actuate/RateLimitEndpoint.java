package dev.ratelimit.spring.actuate;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.rule.Durations;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Shows the rules, what they have decided, and for whom most often. */
@Endpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
public final class RateLimitEndpoint {

    private static final int NOT_FOUND = 404;
    private static final int UNAVAILABLE = 503;

    private final Rules rules;
    private final RateLimiters limiters;

    /**
     * Makes the endpoint.
     *
     * @param rules what it shows
     * @param limiters changes their limits
     */
    public RateLimitEndpoint(Rules rules, RateLimiters limiters) {
        this.rules = rules;
        this.limiters = limiters;
    }

    /** All rules, by name. */
    @ReadOperation
    public AllRules all() {
        return new AllRules(
                rules.store().name(),
                rules.store().state(),
                rules.all().stream().map(RuleSummary::of).toList());
    }

    /** One rule and its keys; null, which is status 404, if there is none of that name. */
    @ReadOperation
    public @Nullable RuleDetails one(@Selector String rule) {
        Rule found = rules.find(rule);
        return found == null ? null : RuleDetails.of(found);
    }

    /**
     * Makes the buckets of one key new.
     *
     * @param rule its rule
     * @param key the id that is listed, or the key itself
     * @return 204, 404 if there is no such rule, or 503 if the store does not answer
     */
    @DeleteOperation
    public WebEndpointResponse<@Nullable Void> reset(@Selector String rule, String key) {
        Rule found = rules.find(rule);
        if (found == null) {
            return new WebEndpointResponse<>(NOT_FOUND);
        }
        try {
            found.reset(key);
        } catch (StoreUnavailableException e) {
            return new WebEndpointResponse<>(UNAVAILABLE);
        }
        return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
    }

    /**
     * Changes the only limit of a rule. What a key has spent stays spent.
     *
     * @param rule the rule
     * @param requests how many per window; also the burst
     * @param window how long a window is, as in properties
     * @return 204, 404 if there is no such rule, or 400 if its limit cannot be changed to that
     */
    @WriteOperation
    public WebEndpointResponse<@Nullable Problem> update(
            @Selector String rule, long requests, String window) {
        if (rules.find(rule) == null) {
            return new WebEndpointResponse<>(NOT_FOUND);
        }
        try {
            limiters.update(rule, LimitConfig.of(requests, Durations.parse("window", window)));
        } catch (IllegalArgumentException | IllegalStateException | InvalidRuleException e) {
            return new WebEndpointResponse<>(
                    new Problem(String.valueOf(e.getMessage())),
                    WebEndpointResponse.STATUS_BAD_REQUEST);
        }
        return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
    }

    /**
     * All rules.
     *
     * @param store where their buckets are
     * @param storeState {@code available} or {@code unavailable}; null of one that is always there
     * @param rules by name
     */
    public record AllRules(String store, @Nullable String storeState, List<RuleSummary> rules) {}

    /**
     * Why nothing was changed.
     *
     * @param detail a sentence
     */
    public record Problem(String detail) {}
}
