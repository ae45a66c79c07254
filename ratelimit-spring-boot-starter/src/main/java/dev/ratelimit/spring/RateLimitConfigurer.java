package dev.ratelimit.spring;

/** A bean that declares rules in Java. It is asked once, at start. */
@FunctionalInterface
public interface RateLimitConfigurer {

    /**
     * Declares rules.
     *
     * @param rules receives them
     */
    void configure(RateLimitRules rules);
}
