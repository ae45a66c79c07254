package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleCharge;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was decided on a request so far, over all its dispatches. */
final class RequestLimits {

    private static final String ATTRIBUTE = RequestLimits.class.getName();

    // Advice may decide on the thread of an asynchronous handler.
    private volatile Verdict all = Verdict.NONE;
    private volatile Verdict chargedToRequest = Verdict.NONE;
    private volatile Verdict chargedToCalls = Verdict.NONE;
    private volatile boolean refused;
    private volatile List<RuleCharge> unsettled = List.of();

    /** What was decided on a request; null if nothing was. */
    static @Nullable RequestLimits find(HttpServletRequest request) {
        return (RequestLimits) request.getAttribute(ATTRIBUTE);
    }

    static RequestLimits of(HttpServletRequest request) {
        return orNew(find(request), request);
    }

    /** What is known of a request already, or else what will be from now on. */
    static RequestLimits orNew(@Nullable RequestLimits known, HttpServletRequest request) {
        if (known != null) {
            return known;
        }
        RequestLimits made = new RequestLimits();
        request.setAttribute(ATTRIBUTE, made);
        return made;
    }

    /**
     * Notes a decision on the request as such.
     *
     * @param byPath the rules that were asked for the path, which may count only some responses
     */
    void decided(Verdict verdict, Collection<Rule> byPath) {
        all = all.and(verdict.shown());
        if (verdict.allowed()) {
            chargedToRequest = chargedToRequest.and(verdict);
            settleLater(verdict.charges(), byPath);
            settleLater(verdict.shadowCharges(), byPath);
        }
    }

    private void settleLater(List<RuleCharge> charges, Collection<Rule> byPath) {
        for (RuleCharge charge : charges) {
            Rule rule = charge.rule();
            if (!rule.definition().requests().countStatuses().isEmpty()
                    && charge.charge().allowed()
                    && byPath.contains(rule)) {
                List<RuleCharge> more = new ArrayList<>(unsettled);
                more.add(charge);
                unsettled = more;
            }
        }
    }

    /** Takes the charges that do not count, now that the status is known; each only once. */
    List<RuleCharge> settle(int status) {
        if (unsettled.isEmpty()) {
            return List.of();
        }
        List<RuleCharge> uncounted = new ArrayList<>();
        for (RuleCharge charge : takeUnsettled()) {
            if (!charge.rule().definition().requests().countStatuses().contains(status)) {
                uncounted.add(charge);
            }
        }
        return uncounted;
    }

    private synchronized List<RuleCharge> takeUnsettled() {
        List<RuleCharge> taken = unsettled;
        unsettled = List.of();
        return taken;
    }

    /** Notes a decision on a call that the request led to. */
    void decidedOnCall(Verdict verdict) {
        all = all.and(verdict.shown());
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
