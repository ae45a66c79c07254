package dev.ratelimit.spring.rule;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimiters;
import java.util.stream.Collectors;

/** Looks rules up by name. */
public final class DefaultRateLimiters implements RateLimiters {

    private final Rules rules;
    private final TimeSource timeSource;
    private final boolean enabled;
    private final OnFailure onFailure;

    /**
     * Makes limiters.
     *
     * @param rules the rules
     * @param timeSource the clock by which a limiter waits
     * @param enabled false to admit everything
     * @param onFailure what becomes of calls while the store does not answer, where a rule does not
     *     say
     */
    public DefaultRateLimiters(
            Rules rules, TimeSource timeSource, boolean enabled, OnFailure onFailure) {
        this.rules = rules;
        this.timeSource = timeSource;
        this.enabled = enabled;
        this.onFailure = onFailure;
    }

    @Override
    public RateLimiter get(String name) {
        Rule rule = rule(name);
        rule.use();
        return new RuleLimiter(rule, timeSource, enabled, onFailure);
    }

    @Override
    public void update(String name, LimitConfig config) {
        Rule rule = rule(name);
        long permits = rule.definition().permits().constant().orElse(1);
        if (permits > config.burst()) {
            throw new IllegalArgumentException(
                    "A request of rule '"
                            + name
                            + "' costs "
                            + permits
                            + " permits, which would never be admitted: "
                            + config);
        }
        rule.limits().update(config);
    }

    private Rule rule(String name) {
        Rule rule = rules.find(name);
        if (rule == null) {
            throw new IllegalArgumentException(
                    "There is no rule '"
                            + name
                            + "'; there are: "
                            + rules.all().stream()
                                    .map(Rule::name)
                                    .collect(Collectors.joining(", ")));
        }
        return rule;
    }
}
