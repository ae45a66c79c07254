package dev.ratelimit.spring.web;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimitRejectionHandler;
import dev.ratelimit.spring.rule.RefusedCallException;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.HttpHeaders;

/**
 * Answers refused requests. The answer is written and never left to the error dispatch, which
 * security rules may turn into another one.
 */
public final class RejectionWriter implements SmartInitializingSingleton {

    private static final Log LOGGER = LogFactory.getLog(RejectionWriter.class);

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;
    private static final List<String> EXPOSED = List.of(HttpHeaders.RETRY_AFTER);

    private final LimitHeaders headers;
    private final ObjectProvider<RateLimitRejectionHandler> handlers;
    private volatile @Nullable RateLimitRejectionHandler handler;

    /**
     * Makes this.
     *
     * @param headers exposes what is written here
     * @param handlers the application's own way to write the body, if it has one
     */
    public RejectionWriter(
            LimitHeaders headers, ObjectProvider<RateLimitRejectionHandler> handlers) {
        this.headers = headers;
        this.handlers = handlers;
    }

    /** Two handlers are a mistake that is to stop the start. */
    @Override
    public void afterSingletonsInstantiated() {
        handler = handlers.getIfAvailable();
    }

    /**
     * Answers a request, unless it has been answered.
     *
     * @param request the request
     * @param response its answer, with the header fields that show limits
     * @param exception why it is refused
     * @param violatedPolicies the rules that refused, as they are called in this answer
     */
    void reject(
            HttpServletRequest request,
            HttpServletResponse response,
            RateLimitExceededException exception,
            List<String> violatedPolicies)
            throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        response.setStatus(status(exception));
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        long retryAfterSeconds = retryAfterSeconds(exception);
        if (retryAfterSeconds > 0) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(retryAfterSeconds));
            headers.expose(request, response, EXPOSED);
        }
        if (!handled(request, response, exception)) {
            String body =
                    isUnavailable(exception)
                            ? ProblemBody.unavailable(instance(request))
                            : ProblemBody.of(
                                    retryAfterSeconds, instance(request), violatedPolicies);
            write(request, response, body);
        }
    }

    private static int status(RateLimitExceededException exception) {
        return isUnavailable(exception) ? SERVICE_UNAVAILABLE : TOO_MANY_REQUESTS;
    }

    /** Whether the client has not exceeded anything, but nobody could tell. */
    private static boolean isUnavailable(RateLimitExceededException exception) {
        return exception instanceof RefusedCallException refused
                && refused.verdict() != null
                && refused.verdict().unavailable();
    }

    /** At least 1, or -1 when it is no use to wait. */
    private static long retryAfterSeconds(RateLimitExceededException exception) {
        Duration wait = exception.decision().retryAfter();
        if (wait.isNegative()) {
            return -1;
        }
        return Math.max(1, Seconds.roundUp(wait.toNanos()));
    }

    /** A handler that fails has answered all the same if it has sent something. */
    private boolean handled(
            HttpServletRequest request,
            HttpServletResponse response,
            RateLimitExceededException exception) {
        RateLimitRejectionHandler own = handler;
        if (own == null) {
            return false;
        }
        try {
            own.handle(request, response, exception);
            return true;
        } catch (IOException e) {
            // Most often a client that did not wait for the answer.
            LOGGER.debug("The RateLimitRejectionHandler could not write its answer", e);
        } catch (RuntimeException e) {
            LOGGER.warn(
                    "RL-REJECTION-HANDLER: The RateLimitRejectionHandler failed; the usual answer is"
                            + " sent",
                    e);
        }
        if (response.isCommitted()) {
            return true;
        }
        response.resetBuffer();
        response.setStatus(status(exception));
        return false;
    }

    /** The path as the client wrote it, without a session id or other parameters. */
    private static String instance(HttpServletRequest request) {
        Object forwarded = request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI);
        String path = forwarded instanceof String original ? original : request.getRequestURI();
        if (path.indexOf(';') < 0 && !path.startsWith("//")) {
            return path;
        }
        StringBuilder instance = new StringBuilder(path.length());
        boolean inParameter = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            inParameter = c == ';' || (inParameter && c != '/');
            // Two slashes at the beginning would make the rest a host.
            boolean second = c == '/' && instance.length() == 1;
            if (!inParameter && !second) {
                instance.append(c);
            }
        }
        return instance.toString();
    }

    private static void write(
            HttpServletRequest request, HttpServletResponse response, String ascii)
            throws IOException {
        response.setContentType("application/problem+json");
        response.setContentLength(ascii.length());
        if (request.getMethod().equals("HEAD")) {
            return;
        }
        try {
            response.getOutputStream().write(ascii.getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalStateException e) {
            // The handler has begun to write characters, and then only they can be written.
            response.getWriter().write(ascii);
        }
    }
}
