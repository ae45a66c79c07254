package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.TestRules;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.IpNetworks;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.DispatcherType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.util.pattern.PathPatternParser;

class ServletCurrentCallerTest {

    private final TestRules test = new TestRules();
    private final ServletCurrentCaller current =
            new ServletCurrentCaller(
                    new ServletCallers(
                            new ClientAddress(IpNetworks.NONE, ForwardedHeader.X_FORWARDED_FOR, 64),
                            new PathRules(test.rules, () -> PathPatternParser.defaultInstance),
                            new StaticListableBeanFactory()),
                    new LimitHeaders(List.of(new LegacyHeaderFields()), false));
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    @AfterEach
    void close() {
        RequestContextHolder.resetRequestAttributes();
        test.close();
    }

    @Test
    void a_thread_without_a_request_has_no_caller() {
        assertThat(current.get()).isSameAs(Caller.NONE);
        assertThat(current.isCharged(test.add("rule", 10))).isFalse();
        current.decided(Verdict.NONE);
    }

    @Test
    void a_request_that_has_ended_is_no_caller() {
        bind(
                new MockHttpServletRequest() {
                    @Override
                    public DispatcherType getDispatcherType() {
                        throw new IllegalStateException("The request object has been recycled");
                    }
                });
        assertThat(current.get()).isSameAs(Caller.NONE);
        current.decided(decide(test.add("rule", 10)));
        assertThat(response.getHeaderNames()).isEmpty();
    }

    @Test
    void calls_show_in_the_response_and_count_each_time() {
        Rule rule = test.add("rule", 10);
        bind(new MockHttpServletRequest());
        for (int remaining = 9; remaining >= 7; remaining--) {
            current.decided(decide(rule));
            assertThat(response.getHeaders("X-RateLimit-Remaining"))
                    .containsExactly(Integer.toString(remaining));
            assertThat(current.isCharged(rule)).isFalse();
        }
    }

    private Verdict decide(Rule rule) {
        return new Decider(test.rules.store(), true, OnFailure.ALLOW)
                .decide(List.of(rule), new TestRules.Client("a"));
    }

    private void bind(MockHttpServletRequest request) {
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request, response));
    }
}
