package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.HandlerRules;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Decides on requests before their handlers are called, by all rules that match the path and all
 * that the handler method is annotated with.
 */
public final class RateLimitInterceptor implements HandlerInterceptor {

    private final RequestGate gate;
    private final PathRules pathRules;
    private final HandlerRules handlerRules;

    /**
     * Makes this.
     *
     * @param gate decides and answers
     * @param pathRules the rules with paths
     * @param handlerRules the rules of annotations
     */
    public RateLimitInterceptor(RequestGate gate, PathRules pathRules, HandlerRules handlerRules) {
        this.gate = gate;
        this.pathRules = pathRules;
        this.handlerRules = handlerRules;
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        RequestLimits limits = RequestLimits.find(request);
        if (RequestGate.isCounted(request, limits)) {
            Verdict verdict =
                    gate.decide(request, limits, byPath(request, handler), annotated(handler));
            gate.answer(request, response, verdict);
            return verdict.allowed();
        }
        if (limits != null) {
            // Whoever made this dispatch may have emptied the response.
            gate.show(request, response, limits);
        }
        return true;
    }

    private List<Rule> byPath(HttpServletRequest request, Object handler) {
        return ActuatorEndpoints.isEndpoint(handler) ? List.of() : pathRules.matching(request);
    }

    private List<Rule> annotated(Object handler) {
        return handler instanceof HandlerMethod method
                ? handlerRules.of(method.getMethod(), method.getBeanType())
                : List.of();
    }
}
