package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Decider;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Gives back what was spent for requests whose responses turn out not to count. It was spent before
 * anything else, so that many requests at once cannot have more than there is.
 */
public final class SettlementFilter implements Filter {

    private static final int FAILED = 500;

    private final PathRules pathRules;
    private final Decider decider;

    /**
     * Makes this.
     *
     * @param pathRules the rules with paths
     * @param decider gives back
     */
    public SettlementFilter(PathRules pathRules, Decider decider) {
        this.pathRules = pathRules;
        this.decider = decider;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!pathRules.countsStatuses()) {
            chain.doFilter(request, response);
            return;
        }
        RequestLimits limits = RequestLimits.of((HttpServletRequest) request);
        boolean returned = false;
        try {
            chain.doFilter(request, response);
            returned = true;
        } finally {
            if (!returned) {
                settle(limits, FAILED);
            } else if (request.isAsyncStarted()) {
                request.getAsyncContext()
                        .addListener(new Completion(limits, (HttpServletResponse) response));
            } else {
                settle(limits, ((HttpServletResponse) response).getStatus());
            }
        }
    }

    private void settle(RequestLimits limits, int status) {
        decider.refund(limits.settle(status));
    }

    /** Waits for the end of an asynchronous request, however often it is dispatched. */
    private final class Completion implements AsyncListener {

        private final RequestLimits limits;
        private final HttpServletResponse response;

        Completion(RequestLimits limits, HttpServletResponse response) {
            this.limits = limits;
            this.response = response;
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }

        @Override
        public void onComplete(AsyncEvent event) {
            settle(limits, response.getStatus());
        }

        /** The response to it comes later. */
        @Override
        public void onTimeout(AsyncEvent event) {}

        /** The response to it comes later. */
        @Override
        public void onError(AsyncEvent event) {}
    }
}
