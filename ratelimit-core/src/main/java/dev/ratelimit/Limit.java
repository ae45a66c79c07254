package dev.ratelimit;

import java.util.Objects;

/**
 * One limit of a rule: its numbers, and the strategy that reads them.
 *
 * @param config requests, window and burst
 * @param strategy decides on a bucket of this limit
 */
public record Limit(LimitConfig config, RateLimitStrategy strategy) {

    /**
     * Checks that the strategy can work with the numbers.
     *
     * @throws IllegalArgumentException if a built-in strategy other than the token bucket is given
     *     a burst, or the sliding log more than 10,000 requests
     */
    public Limit {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(strategy, "strategy");
        if (strategy instanceof BuiltInStrategy builtIn) {
            builtIn.validate(config);
        }
    }
}
