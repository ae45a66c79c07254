package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The request that Spring knows the current thread to work for. */
public final class ServletCurrentCaller implements CurrentCaller {

    private final ServletCallers callers;
    private final LimitHeaders headers;

    /**
     * Makes this.
     *
     * @param callers tells who sent a request
     * @param headers shows what was decided
     */
    public ServletCurrentCaller(ServletCallers callers, LimitHeaders headers) {
        this.callers = callers;
        this.headers = headers;
    }

    @Override
    public Caller get() {
        ServletRequestAttributes current = current();
        return current == null ? Caller.NONE : callers.of(current.getRequest());
    }

    @Override
    public boolean isCharged(Rule rule) {
        ServletRequestAttributes current = current();
        RequestLimits limits = current == null ? null : RequestLimits.find(current.getRequest());
        return limits != null && limits.isChargedToRequest(rule);
    }

    @Override
    public void decided(Verdict verdict) {
        ServletRequestAttributes current = current();
        if (current == null || verdict.isEmpty()) {
            return;
        }
        HttpServletRequest request = current.getRequest();
        RequestLimits limits = RequestLimits.of(request);
        limits.decidedOnCall(verdict);
        HttpServletResponse response = current.getResponse();
        if (response != null) {
            headers.write(request, response, limits.all());
        }
    }

    /** Null also for a thread that inherited a request which has ended meanwhile. */
    private static @Nullable ServletRequestAttributes current() {
        if (!(RequestContextHolder.getRequestAttributes()
                instanceof ServletRequestAttributes current)) {
            return null;
        }
        try {
            current.getRequest().getDispatcherType();
            return current;
        } catch (RuntimeException e) {
            return null;
        }
    }
}
