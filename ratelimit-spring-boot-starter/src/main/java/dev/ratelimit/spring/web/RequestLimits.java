package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** What was decided on a request so far, over all its dispatches. */
final class RequestLimits {

    private static final String ATTRIBUTE = RequestLimits.class.getName();

    // Advice may decide on the thread of an asynchronous handler.
    private volatile Verdict all = Verdict.NONE;
    private volatile Verdict chargedToRequest = Verdict.NONE;
    private volatile Verdict chargedToCalls = Verdict.NONE;
    private volatile boolean refused;

    /** What was decided on a request; null if nothing was. */
    static @Nullable RequestLimits find(HttpServletRequest request) {
        return (RequestLimits) request.getAttribute(ATTRIBUTE);
    }

    static RequestLimits of(HttpServletRequest request) {
        RequestLimits known = find(request);
        if (known != null) {
            return known;
        }
        RequestLimits made = new RequestLimits();
        request.setAttribute(ATTRIBUTE, made);
        return made;
    }

    /** Notes a decision on the request as such. */
    void decided(Verdict verdict) {
        all = all.and(verdict);
        if (verdict.allowed()) {
            chargedToRequest = chargedToRequest.and(verdict);
        }
    }

    /** Notes a decision on a call that the request led to. */
    void decidedOnCall(Verdict verdict) {
        all = all.and(verdict);
        if (verdict.allowed()) {
            chargedToCalls = chargedToCalls.and(verdict);
        }
    }

    /** Everything decided, for the client to see. */
    Verdict all() {
        return all;
    }

    /** Whether a rule was charged for the request as such. */
    boolean isChargedToRequest(Rule rule) {
        return chargedToRequest.has(rule);
    }

    /** Whether a rule was charged at all. */
    boolean isCharged(Rule rule) {
        return chargedToRequest.has(rule) || chargedToCalls.has(rule);
    }

    /** Whether the request has been answered by a refusal. */
    boolean isRefused() {
        return refused;
    }

    void refuse() {
        refused = true;
    }
}
