package dev.ratelimit.spring.rule;

/** Follows the rules of the application. */
public interface RuleListener {

    /**
     * Refuses what a rule cannot be, before anything changes.
     *
     * @throws InvalidRuleException if it cannot work
     */
    default void check(RuleDefinition definition) {}

    /** A rule is there. */
    default void added(Rule rule) {}

    /** A rule is there no more. */
    default void removed(Rule rule) {}

    /** Some rules have changed, or were added or removed. */
    default void changed() {}
}
