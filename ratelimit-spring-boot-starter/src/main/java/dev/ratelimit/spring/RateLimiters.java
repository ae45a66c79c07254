package dev.ratelimit.spring;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.RateLimiter;

/** The rules of this application, for use by its own code. */
public interface RateLimiters {

    /**
     * Returns a limiter over the limits of a rule. Its keys are the caller's own: they never meet
     * those of web clients. What it decides is counted and shown like the rule's other decisions.
     *
     * @param name the rule's name
     * @return the limiter; closing it does nothing
     * @throws IllegalArgumentException if there is no such rule
     */
    RateLimiter get(String name);

    /**
     * Changes the only limit of a rule. What a key has spent stays spent.
     *
     * @param name the rule's name
     * @param config the new numbers
     * @throws IllegalArgumentException if there is no such rule, or its strategy cannot work with
     *     these numbers
     * @throws IllegalStateException if the rule has several limits
     */
    void update(String name, LimitConfig config);
}
