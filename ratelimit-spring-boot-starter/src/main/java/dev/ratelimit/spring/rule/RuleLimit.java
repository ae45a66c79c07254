package dev.ratelimit.spring.rule;

import dev.ratelimit.Limit;

/**
 * A limit of a rule.
 *
 * @param limit the numbers and the strategy
 * @param strategy what the strategy is called: {@code token-bucket}, or the name of a bean
 */
public record RuleLimit(Limit limit, String strategy) {}
