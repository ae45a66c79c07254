package dev.ratelimit.spring.rule;

/** What becomes of calls while the store does not answer. */
public enum OnFailure {
    /** They pass, and are not counted. */
    ALLOW,
    /** They are refused. */
    DENY,
    /** Each instance decides by itself, in memory. */
    LOCAL;

    /** What a rule says, or else the default. */
    static OnFailure of(Rule rule, OnFailure byDefault) {
        OnFailure own = rule.definition().onFailure();
        return own == null ? byDefault : own;
    }
}
