package dev.ratelimit.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** A bean that says who is counted, used where a rule's key says {@code bean:NAME}. */
@FunctionalInterface
public interface RateLimitKeyResolver {

    /**
     * Tells who sent a request.
     *
     * @param request the request
     * @return a value that is the same for the same client; null or blank if there is none, and
     *     then the client's address is counted instead
     */
    @Nullable String resolve(HttpServletRequest request);
}
