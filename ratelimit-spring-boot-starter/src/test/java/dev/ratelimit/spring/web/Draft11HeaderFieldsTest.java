package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.spring.TestRules;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleLimit;
import dev.ratelimit.spring.rule.Verdict;
import java.time.Duration;
import java.util.List;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletResponse;

class Draft11HeaderFieldsTest {

    @ParameterizedTest
    @CsvSource({
        "100, PT1S, 100, 1, 1",
        "100, PT1S, 200, 2, 1",
        "100, PT1S, 250, 3, 1",
        "100, PT1S, 30, 1, 1",
        "10, PT0.001S, 10, 1, 1",
        "1, PT1.5S, 1, 2, 2"
    })
    void seconds_are_rounded_up(
            long requests, Duration window, long burst, long earnedSeconds, long growthSeconds) {
        MockHttpServletResponse response = respond(requests, window, burst);

        String policy = response.getHeader("RateLimit-Policy");
        assertThat(policy).isEqualTo("\"a\";q=" + burst + ";w=" + earnedSeconds);
        assertThat(Parser.parseList(policy).serialize()).isEqualTo(policy);
        String state = response.getHeader("RateLimit");
        assertThat(state).isEqualTo("\"a\";r=" + (burst - 1) + ";t=" + growthSeconds);
        assertThat(Parser.parseList(state).serialize()).isEqualTo(state);
    }

    @Test
    void no_integer_is_larger_than_a_structured_field_can_have() {
        String policy =
                respond(1, Duration.ofDays(366), 1_000_000_000).getHeader("RateLimit-Policy");
        assertThat(policy).isEqualTo("\"a\";q=1000000000;w=999999999999999");
        assertThat(Parser.parseList(policy).serialize()).isEqualTo(policy);
    }

    private static MockHttpServletResponse respond(long requests, Duration window, long burst) {
        try (TestRules test = new TestRules()) {
            LimitConfig config = LimitConfig.of(requests, window).withBurst(burst);
            Limit limit = new Limit(config, LimitStrategy.TOKEN_BUCKET.create());
            Rule rule = test.add("a", "ip", new RuleLimit(limit, "token-bucket"));
            Verdict verdict =
                    new Decider(test.rules.store(), true, OnFailure.ALLOW)
                            .decide(List.of(rule), new TestRules.Client("a"));
            MockHttpServletResponse response = new MockHttpServletResponse();
            new Draft11HeaderFields().set(response, verdict);
            return response;
        }
    }
}
