package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.HandlerRules;
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
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Decides on requests before their handlers are called, by all rules that match the path and all
 * that the handler method is annotated with.
 */
public final class RateLimitInterceptor implements HandlerInterceptor {

    private final Decider decider;
    private final PathRules pathRules;
    private final HandlerRules handlerRules;
    private final ServletCallers callers;
    private final LimitHeaders headers;
    private final RejectionWriter rejections;

    /**
     * Makes this.
     *
     * @param decider decides
     * @param pathRules the rules with paths
     * @param handlerRules the rules of annotations
     * @param callers tells who is counted
     * @param headers shows what was decided
     * @param rejections answers what was refused
     */
    public RateLimitInterceptor(
            Decider decider,
            PathRules pathRules,
            HandlerRules handlerRules,
            ServletCallers callers,
            LimitHeaders headers,
            RejectionWriter rejections) {
        this.decider = decider;
        this.pathRules = pathRules;
        this.handlerRules = handlerRules;
        this.callers = callers;
        this.headers = headers;
        this.rejections = rejections;
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        RequestLimits limits = RequestLimits.find(request);
        if (isCounted(request) && (limits == null || !limits.isRefused())) {
            List<Rule> rules = rules(request, handler, limits);
            Verdict verdict = decider.decide(rules, callers.of(request));
            if (!verdict.isEmpty()) {
                return decided(request, response, verdict);
            }
        } else if (limits != null) {
            // Whoever made this dispatch may have emptied the response.
            headers.write(request, response, limits.all());
        }
        return true;
    }

    /** The other dispatches only go on with a request that was counted. */
    private static boolean isCounted(HttpServletRequest request) {
        DispatcherType type = request.getDispatcherType();
        return (type == DispatcherType.REQUEST || type == DispatcherType.FORWARD)
                && !CorsUtils.isPreFlightRequest(request);
    }

    /** All rules that apply and were not charged yet, each once. */
    private List<Rule> rules(
            HttpServletRequest request, Object handler, @Nullable RequestLimits limits) {
        List<Rule> rules = List.of();
        if (!ActuatorEndpoints.isEndpoint(handler)) {
            rules = pathRules.matching(request);
        }
        if (handler instanceof HandlerMethod method) {
            List<Rule> annotated = handlerRules.of(method.getMethod(), method.getBeanType());
            rules = rules.isEmpty() ? annotated : union(rules, annotated);
        }
        return limits == null ? rules : uncharged(rules, limits);
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
        List<Rule> uncharged = new ArrayList<>(rules);
        uncharged.removeIf(limits::isCharged);
        return uncharged;
    }

    private boolean decided(
            HttpServletRequest request, HttpServletResponse response, Verdict verdict)
            throws IOException {
        RequestLimits limits = RequestLimits.of(request);
        limits.decided(verdict);
        headers.write(request, response, limits.all());
        if (verdict.allowed()) {
            return true;
        }
        rejections.reject(
                request,
                response,
                verdict.toException(),
                verdict.violatedPolicies(PolicyNames.of(limits.all())));
        return false;
    }
}
