package dev.ratelimit.spring.rule;

/** What becomes of a rule's decisions. */
public enum RuleMode {
    /** A call that the rule refuses is refused. */
    ENFORCE,
    /** The rule decides and counts, and refuses nothing; clients do not see it. */
    SHADOW,
    /** The rule is not asked. */
    OFF
}
