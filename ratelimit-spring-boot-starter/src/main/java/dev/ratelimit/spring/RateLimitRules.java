package dev.ratelimit.spring;

/** Collects the rules of {@link RateLimitConfigurer} beans. */
public final class RateLimitRules {

    /** For the starter. */
    public RateLimitRules() {}
}
