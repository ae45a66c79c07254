package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.RateLimiter;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimitRejectionHandler;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class RateLimitExceptionResolverTest {

    private static final RateLimitExceededException REFUSAL = refusal(1);

    private final LimitHeaders headers = new LimitHeaders(List.of(), false);
    private final RateLimitExceptionResolver resolver =
            new RateLimitExceptionResolver(
                    headers,
                    new RejectionWriter(
                            headers,
                            new StaticListableBeanFactory()
                                    .getBeanProvider(RateLimitRejectionHandler.class)));
    private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "//h/a;b/c");
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    static Stream<Exception> wrapped() {
        return Stream.of(
                REFUSAL,
                new CompletionException(REFUSAL),
                new ExecutionException(new CompletionException(REFUSAL)),
                new UndeclaredThrowableException(REFUSAL),
                new ServletException("Handler dispatch failed", REFUSAL),
                new ServletException(new InvocationTargetException(REFUSAL)));
    }

    @ParameterizedTest
    @MethodSource("wrapped")
    void a_refusal_is_answered_however_it_is_wrapped(Exception thrown) throws IOException {
        assertThat(resolver.resolveException(request, response, null, thrown)).isNotNull();

        assertThat(response.getStatus()).isEqualTo(429);
        assertThat(response.getContentAsString())
                .contains("\"violated-policies\":[\"default\"]")
                .contains("\"instance\":\"/h/a/c\"");
        assertThat(response.getHeader("Retry-After")).matches("[1-9]\\d*");
    }

    static Stream<Exception> others() {
        return Stream.of(
                new IllegalStateException("the application's own reaction", REFUSAL),
                new CompletionException(new IllegalStateException()),
                new ServletException(),
                new RuntimeException());
    }

    @ParameterizedTest
    @MethodSource("others")
    void other_exceptions_are_left_to_others(Exception thrown) {
        assertThat(resolver.resolveException(request, response, null, thrown)).isNull();
        assertThat(response.getStatus()).isEqualTo(200);
    }

    @Test
    void what_is_sent_already_is_left_as_it_is() {
        response.setCommitted(true);
        assertThat(resolver.resolveException(request, response, null, REFUSAL)).isNull();
    }

    @Test
    void what_can_never_succeed_is_not_to_be_tried_again() throws IOException {
        resolver.resolveException(request, response, null, refusal(2));

        assertThat(response.getStatus()).isEqualTo(429);
        assertThat(response.getHeader("Retry-After")).isNull();
        assertThat(response.getContentAsString()).contains("more than its limit ever admits");
    }

    private static RateLimitExceededException refusal(int permits) {
        try (RateLimiter limiter =
                RateLimiter.builder("test").limit(1, 1, TimeUnit.MINUTES).build()) {
            limiter.tryAcquire("a");
            return new RateLimitExceededException(
                    limiter.tryAcquire("a", permits), "Api.method", List.of("default"));
        }
    }
}
