package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Decides on requests by the rules of the filter phase, before Spring Security can answer them. No
 * handler is known yet.
 */
public final class RateLimitFilter implements Filter {

    private final RequestGate gate;
    private final PathRules pathRules;
    private final ActuatorEndpoints endpoints;
    private final CorsFields corsFields;
    private final LimitHeaders headers;

    /**
     * Makes this.
     *
     * @param gate decides and answers
     * @param pathRules the rules with paths
     * @param endpoints are not limited
     * @param corsFields are part of an answer to a browser
     * @param headers stay as they are
     */
    public RateLimitFilter(
            RequestGate gate,
            PathRules pathRules,
            ActuatorEndpoints endpoints,
            CorsFields corsFields,
            LimitHeaders headers) {
        this.gate = gate;
        this.pathRules = pathRules;
        this.endpoints = endpoints;
        this.corsFields = corsFields;
        this.headers = headers;
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        if (!pathRules.hasFilterRules()) {
            chain.doFilter(anyRequest, anyResponse);
            return;
        }
        HttpServletRequest request = (HttpServletRequest) anyRequest;
        HttpServletResponse response = (HttpServletResponse) anyResponse;
        Verdict verdict = decide(request, response);
        if (verdict.isEmpty()) {
            chain.doFilter(request, response);
        } else if (verdict.allowed()) {
            chain.doFilter(request, headers.keepExposed(request, response));
        }
    }

    /** Decides, and answers what is refused. */
    private Verdict decide(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RequestLimits limits = RequestLimits.find(request);
        if (!RequestGate.isCounted(request, limits)) {
            return Verdict.NONE;
        }
        ExpectedPath path = ExpectedPath.of(request);
        List<Rule> rules = rules(request, path);
        if (rules.isEmpty()) {
            return Verdict.NONE;
        }
        // Keys and handler mappings look for the path where Spring MVC will put it.
        RequestPath before =
                (RequestPath) request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
        ServletRequestPathUtils.setParsedRequestPath(path.parsed(), request);
        try {
            Verdict verdict = gate.decide(request, limits, rules, List.of());
            if (!verdict.allowed()) {
                corsFields.write(request, response);
            }
            gate.answer(request, response, verdict);
            return verdict;
        } finally {
            ServletRequestPathUtils.setParsedRequestPath(before, request);
        }
    }

    private List<Rule> rules(HttpServletRequest request, ExpectedPath path) {
        List<Rule> rules = rules(request, path.parsed().pathWithinApplication());
        if (path.normalized() == null) {
            return rules;
        }
        List<Rule> others = rules(request, path.normalized());
        if (rules.isEmpty() || rules.equals(others)) {
            return others;
        }
        List<Rule> union = new ArrayList<>(rules);
        union.removeAll(others);
        union.addAll(others);
        return union;
    }

    private List<Rule> rules(HttpServletRequest request, PathContainer path) {
        List<Rule> rules =
                pathRules.matchingInFilter(
                        request.getMethod(), RoutedPath.withoutTrailingSlashes(path));
        return rules.isEmpty() || endpoints.areAt(path) ? List.of() : rules;
    }
}
