package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimitRejectionHandler;
import dev.ratelimit.spring.TestRules;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.IpNetworks;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.pattern.PathPatternParser;

class RateLimitInterceptorTest {

    private final TestRules test = new TestRules();
    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();
    private Rule rule;
    private RateLimitInterceptor interceptor;

    @BeforeEach
    void limitOnePath() {
        rule = test.add("page", 1);
        PathRules pathRules = new PathRules(test.rules, () -> PathPatternParser.defaultInstance);
        pathRules.afterSingletonsInstantiated();
        LimitHeaders headers = new LimitHeaders(List.of(new LegacyHeaderFields()), true);
        interceptor =
                new RateLimitInterceptor(
                        new RequestGate(
                                new Decider(test.rules.store(), true, OnFailure.ALLOW),
                                new ServletCallers(
                                        new ClientAddress(
                                                IpNetworks.NONE,
                                                ForwardedHeader.X_FORWARDED_FOR,
                                                64),
                                        pathRules,
                                        beans),
                                headers,
                                new RejectionWriter(
                                        headers,
                                        beans.getBeanProvider(RateLimitRejectionHandler.class))),
                        pathRules,
                        (method, type) -> List.of());
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void the_answer_to_a_refused_request_may_be_a_forward_to_a_limited_page() throws IOException {
        interceptor.preHandle(request(), new MockHttpServletResponse(), "handler");
        MockHttpServletRequest request = request();
        assertThat(interceptor.preHandle(request, new MockHttpServletResponse(), "handler"))
                .isFalse();

        request.setDispatcherType(DispatcherType.FORWARD);
        MockHttpServletResponse response = new MockHttpServletResponse();
        assertThat(interceptor.preHandle(request, response, "handler")).isTrue();
        assertThat(rule.counters().of(Outcome.REJECTED)).isEqualTo(1);
        assertThat(response.getHeader("X-RateLimit-Limit")).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource(names = {"ASYNC", "ERROR", "INCLUDE"})
    void other_dispatches_do_not_count(DispatcherType type) throws IOException {
        MockHttpServletRequest request = request();
        request.setDispatcherType(type);
        assertThat(interceptor.preHandle(request, new MockHttpServletResponse(), "handler"))
                .isTrue();
        assertThat(rule.counters().of(Outcome.ALLOWED)).isZero();
    }

    @Test
    void a_second_look_at_a_request_charges_nothing() throws IOException {
        MockHttpServletRequest request = request();
        for (int i = 0; i < 3; i++) {
            assertThat(interceptor.preHandle(request, new MockHttpServletResponse(), "handler"))
                    .isTrue();
        }
        assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(1);
    }

    @Test
    void an_endpoint_of_actuator_is_not_limited_by_its_path() throws Exception {
        Object endpoint = new HandlerMethod(new Probe(), "probe");
        for (int i = 0; i < 3; i++) {
            assertThat(interceptor.preHandle(request(), new MockHttpServletResponse(), endpoint))
                    .isTrue();
        }
        assertThat(rule.counters().of(Outcome.ALLOWED)).isZero();
    }

    @Test
    void a_committed_response_is_left_as_it_is() throws IOException {
        for (boolean allowed : new boolean[] {true, false}) {
            MockHttpServletResponse response = new MockHttpServletResponse();
            response.setCommitted(true);
            assertThat(interceptor.preHandle(request(), response, "handler")).isEqualTo(allowed);
            assertThat(response.getStatus()).isEqualTo(200);
            assertThat(response.getHeaderNames()).isEmpty();
        }
    }

    @Test
    void what_a_filter_wrote_before_is_not_part_of_the_answer() throws IOException {
        interceptor.preHandle(request(), new MockHttpServletResponse(), "handler");
        MockHttpServletResponse bytes = new MockHttpServletResponse();
        bytes.getOutputStream().print("early");
        MockHttpServletResponse characters = new MockHttpServletResponse();
        characters.getWriter().print("early");

        for (MockHttpServletResponse response : List.of(bytes, characters)) {
            interceptor.preHandle(request(), response, "handler");
            assertThat(response.getContentAsString()).startsWith("{\"type\":").endsWith("}");
        }
    }

    @Test
    void the_answer_to_head_has_a_length_and_no_body() throws IOException {
        interceptor.preHandle(request(), new MockHttpServletResponse(), "handler");
        MockHttpServletRequest head = request();
        head.setMethod("HEAD");
        MockHttpServletResponse response = new MockHttpServletResponse();
        interceptor.preHandle(head, response, "handler");

        assertThat(response.getContentLength()).isPositive();
        assertThat(response.getContentAsByteArray()).isEmpty();
    }

    @Test
    void fields_that_are_written_again_are_exposed_once() throws IOException {
        MockHttpServletRequest request = request();
        request.addHeader("Origin", "https://good.example");
        MockHttpServletResponse response = new MockHttpServletResponse();
        response.addHeader("Access-Control-Expose-Headers", "X-Mine");
        response.addHeader("Access-Control-Expose-Headers", "x-ratelimit-reset, *");

        interceptor.preHandle(request, response, "handler");
        request.setDispatcherType(DispatcherType.ERROR);
        interceptor.preHandle(request, response, "handler");

        assertThat(response.getHeaders("Access-Control-Expose-Headers"))
                .containsExactly(
                        "X-Mine, x-ratelimit-reset, *, X-RateLimit-Limit, X-RateLimit-Remaining");
    }

    private static MockHttpServletRequest request() {
        return new MockHttpServletRequest("GET", "/page/1");
    }

    @Endpoint(id = "probe")
    static class Probe {

        public String probe() {
            return "ok";
        }
    }
}
