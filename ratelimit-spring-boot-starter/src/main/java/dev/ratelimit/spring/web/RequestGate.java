package dev.ratelimit.spring.web;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.PolicyNames;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.cors.CorsUtils;

/** What filter and interceptor have in common: decides on a request, and answers a refused one. */
public final class RequestGate {

    private final Decider decider;
    private final ServletCallers callers;
    private final LimitHeaders headers;
    private final RejectionWriter rejections;

    /**
     * Makes this.
     *
     * @param decider decides
     * @param callers tells who is counted
     * @param headers shows what was decided
     * @param rejections answers what was refused
     */
    public RequestGate(
            Decider decider,
            ServletCallers callers,
            LimitHeaders headers,
            RejectionWriter rejections) {
        this.decider = decider;
        this.callers = callers;
        this.headers = headers;
        this.rejections = rejections;
    }

    /** The other dispatches only go on with a request that was counted, or refused. */
    static boolean isCounted(HttpServletRequest request, @Nullable RequestLimits limits) {
        DispatcherType type = request.getDispatcherType();
        return (type == DispatcherType.REQUEST || type == DispatcherType.FORWARD)
                && (limits == null || !limits.isRefused())
                && !CorsUtils.isPreFlightRequest(request);
    }

    /**
     * Decides on a request by those of the rules that were not charged yet.
     *
     * @param byPath rules for the path; their charges are settled with the response
     * @param others more rules
     */
    Verdict decide(
            HttpServletRequest request,
            @Nullable RequestLimits limits,
            List<Rule> byPath,
            List<Rule> others) {
        List<Rule> rules = byPath.isEmpty() ? others : union(byPath, others);
        if (limits != null && !rules.isEmpty()) {
            rules = uncharged(rules, limits);
        }
        Verdict verdict = decider.decide(rules, callers.of(request));
        if (!verdict.isEmpty()) {
            RequestLimits.orNew(limits, request).decided(verdict, byPath);
        }
        return verdict;
    }

    private static List<Rule> union(List<Rule> rules, List<Rule> others) {
        List<Rule> union = rules;
        for (Rule other : others) {
            if (!union.contains(other)) {
                union = union == rules ? new ArrayList<>(rules) : union;
                union.add(other);
            }
        }
        return union;
    }

    private static List<Rule> uncharged(List<Rule> rules, RequestLimits limits) {
        for (Rule rule : rules) {
            if (limits.isCharged(rule)) {
                List<Rule> uncharged = new ArrayList<>(rules);
                uncharged.removeIf(limits::isCharged);
                return uncharged;
            }
        }
        return rules;
    }

    /** Shows everything decided so far. */
    void show(HttpServletRequest request, HttpServletResponse response, RequestLimits limits) {
        headers.write(request, response, limits.all());
    }

    /** Shows a verdict, and answers the request if it is refused. */
    void answer(HttpServletRequest request, HttpServletResponse response, Verdict verdict)
            throws IOException {
        RequestLimits limits = verdict.isEmpty() ? null : RequestLimits.find(request);
        if (limits == null) {
            return;
        }
        show(request, response, limits);
        if (!verdict.allowed()) {
            RateLimitExceededException exception = verdict.toException();
            List<String> violatedPolicies =
                    limits.all().equals(verdict)
                            ? exception.violatedPolicies()
                            : verdict.violatedPolicies(PolicyNames.of(limits.all()));
            limits.refuse();
            rejections.reject(request, response, exception, violatedPolicies);
        }
    }
}
