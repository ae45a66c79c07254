package dev.ratelimit.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A bean that answers refused requests in place of the problem body. */
@FunctionalInterface
public interface RateLimitRejectionHandler {

    /**
     * Writes the answer. The status 429 and the fields {@code Retry-After}, {@code Cache-Control}
     * and those of the limit are set already.
     *
     * @param request the refused request
     * @param response the answer, not committed yet
     * @param exception why it was refused
     * @throws IOException if the answer cannot be written
     */
    void handle(
            HttpServletRequest request,
            HttpServletResponse response,
            RateLimitExceededException exception)
            throws IOException;
}
