package dev.ratelimit.spring.web;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.rule.PolicyNames;
import dev.ratelimit.spring.rule.RefusedCallException;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers requests in which a limited call was refused, before handlers of the application that are
 * for all exceptions would.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private static final Log LOGGER = LogFactory.getLog(RateLimitExceptionResolver.class);

    private final LimitHeaders headers;
    private final RejectionWriter rejections;

    /**
     * Makes this.
     *
     * @param headers shows what was decided
     * @param rejections answers
     */
    public RateLimitExceptionResolver(LimitHeaders headers, RejectionWriter rejections) {
        this.headers = headers;
        this.rejections = rejections;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable Object handler,
            Exception thrown) {
        RateLimitExceededException exception = refusalIn(thrown);
        if (exception == null || response.isCommitted()) {
            return null;
        }
        RequestLimits.of(request).refuse();
        List<String> violatedPolicies = exception.violatedPolicies();
        if (exception instanceof RefusedCallException refused && refused.verdict() != null) {
            violatedPolicies = show(request, response, refused.verdict());
        }
        try {
            rejections.reject(request, response, exception, violatedPolicies);
        } catch (IOException e) {
            LOGGER.debug("A refused client did not wait for the answer", e);
        }
        return new ModelAndView();
    }

    /** Looks only into what wraps an exception on its way, not into the application's own. */
    private static @Nullable RateLimitExceededException refusalIn(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException
                || cause instanceof ExecutionException
                || cause instanceof UndeclaredThrowableException
                || cause instanceof InvocationTargetException
                || cause instanceof ServletException) {
            cause = cause.getCause();
        }
        return cause instanceof RateLimitExceededException refusal ? refusal : null;
    }

    /** Puts the refusal into the header fields, if the thread that decided it could not. */
    private List<String> show(
            HttpServletRequest request, HttpServletResponse response, Verdict verdict) {
        RequestLimits limits = RequestLimits.of(request);
        limits.decidedOnCall(verdict);
        headers.write(request, response, limits.all());
        return verdict.violatedPolicies(PolicyNames.of(limits.all()));
    }
}
