package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.key.Caller;

/** The request, if any, that the current thread works for. */
public interface CurrentCaller {

    /** There never is a request. */
    CurrentCaller NONE = new CurrentCaller() {};

    /** Who is calling. */
    default Caller get() {
        return Caller.NONE;
    }

    /** Whether this request has been charged by the rule before a handler was called. */
    default boolean isCharged(Rule rule) {
        return false;
    }

    /**
     * Takes note of a verdict on a call that this request led to, so that its response can show it.
     */
    default void decided(Verdict verdict) {}
}
