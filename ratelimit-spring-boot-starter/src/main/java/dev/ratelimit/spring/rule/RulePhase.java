package dev.ratelimit.spring.rule;

/** When the requests of a rule's paths are decided on. */
public enum RulePhase {
    /** Before Spring Security, which may answer requests that then reach no handler. */
    FILTER,
    /** Before the handler is called, when it is known who the user is. */
    HANDLER
}
