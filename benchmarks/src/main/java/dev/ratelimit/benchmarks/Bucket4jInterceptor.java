package dev.ratelimit.benchmarks;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.servlet.HandlerInterceptor;

/** What an application would write for itself around Bucket4j, to answer as the starter does. */
final class Bucket4jInterceptor implements HandlerInterceptor {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
    private final long requests;
    private final Duration window;

    Bucket4jInterceptor(long requests, Duration window) {
        this.requests = requests;
        this.window = window;
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        String address = request.getRemoteAddr();
        Bucket bucket = buckets.get(address);
        if (bucket == null) {
            bucket =
                    buckets.computeIfAbsent(
                            address, key -> DecisionBenchmark.Bucket4j.bucket(requests, window));
        }
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
        long resetSeconds =
                System.currentTimeMillis() / 1000 + ceilSeconds(probe.getNanosToWaitForReset());
        response.setHeader("X-RateLimit-Limit", Long.toString(requests));
        response.setHeader("X-RateLimit-Remaining", Long.toString(probe.getRemainingTokens()));
        response.setHeader("X-RateLimit-Reset", Long.toString(resetSeconds));
        if (!probe.isConsumed()) {
            reject(request, response, ceilSeconds(probe.getNanosToWaitForRefill()));
        }
        return probe.isConsumed();
    }

    private static void reject(
            HttpServletRequest request, HttpServletResponse response, long retryAfterSeconds)
            throws IOException {
        String body =
                "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\""
                        + ",\"title\":\"Request cannot be satisfied as assigned quota has been"
                        + " exceeded\",\"status\":429,\"detail\":\"Too many requests. Try again in "
                        + retryAfterSeconds
                        + " seconds.\",\"instance\":\""
                        + request.getRequestURI()
                        + "\",\"violated-policies\":[\"search\"]}";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        response.setStatus(429);
        response.setHeader("Retry-After", Long.toString(retryAfterSeconds));
        response.setHeader("Cache-Control", "no-store");
        response.setContentType("application/problem+json");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private static long ceilSeconds(long nanos) {
        return (nanos + NANOS_PER_SECOND - 1) / NANOS_PER_SECOND;
    }
}
