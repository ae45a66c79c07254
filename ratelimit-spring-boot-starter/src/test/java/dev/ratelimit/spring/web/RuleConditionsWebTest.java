package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleCounters;
import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.TestPropertySource;

/** Whom a rule counts, what it costs them, and whether they notice. */
@ExtendWith(OutputCaptureExtension.class)
@TestPropertySource(
        properties = "spring.config.location=classpath:web-limits.yml,classpath:web-conditions.yml")
class RuleConditionsWebTest extends WebTest {

    @Autowired Rules rules;
    @Autowired RateLimiters limiters;

    /** C153. */
    @Test
    void a_shadow_rule_counts_what_passes_the_others_and_refuses_nothing() {
        RuleCounters shadow = counters("shadow");
        RuleCounters enforced = counters("enforced");

        List<Response> responses = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            responses.add(http.get("/conditions/shadow"));
        }

        assertThat(responses)
                .extracting(Response::status)
                .containsExactly(200, 200, 200, 200, 200, 429, 429, 429, 429, 429);
        assertThat(shadow.of(Outcome.ALLOWED)).isEqualTo(3);
        assertThat(shadow.of(Outcome.SHADOW_REJECTED)).isEqualTo(2);
        assertThat(shadow.of(Outcome.REJECTED)).isZero();
        assertThat(enforced.of(Outcome.REJECTED)).isEqualTo(5);
        assertThat(responses.get(3).limit()).isEqualTo("5");
        assertThat(responses.get(3).retryAfter()).isNull();
        assertThat(responses.get(9).body()).contains(":[\"enforced\"]}");
    }

    @Test
    void a_shadow_rule_refuses_nothing_to_the_application_either() throws Exception {
        var limiter = limiters.get("shadow");
        long[] out = new long[3];
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.tryAcquire("k").allowed()).isTrue();
        }

        assertThat(limiter.tryAcquire("k").allowed()).isTrue();
        assertThat(limiter.tryAcquire("k").retryAfter()).isZero();
        assertThat(limiter.tryAcquire("k", 1, out)).isTrue();
        assertThat(out[2]).isZero();
        assertThat(limiter.acquire("k", 1, Duration.ofDays(1))).isTrue();
        // What was not spent cannot be given back.
        limiter.refund("k", limiter.tryAcquire("k"));
        assertThat(limiter.peek("k").remaining()).isZero();
    }

    @Test
    void a_rule_that_is_off_is_not_asked() {
        RuleCounters counters = counters("nothing");
        assertThat(statuses(3, "/conditions/nothing")).containsOnly(200);
        assertThat(http.get("/conditions/nothing").limit()).isNull();
        assertThat(counters.of(Outcome.ALLOWED)).isZero();
        assertThat(limiters.get("nothing").tryAcquire("k").allowed()).isTrue();
        assertThat(limiters.get("nothing").tryAcquire("k").allowed()).isTrue();
    }

    @Test
    void exempt_addresses_are_not_counted_wherever_they_are_in_their_network() {
        RuleCounters counters = counters("exempt");
        for (int i = 0; i < 3; i++) {
            Response response = http.sendFrom("127.0.0.100", "GET", "/conditions/exempt");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.limit()).isNull();
        }
        assertThat(counters.of(Outcome.EXEMPT)).isEqualTo(3);
        assertThat(counters.of(Outcome.ALLOWED)).isZero();
        assertThat(statuses(2, "/conditions/exempt")).containsExactly(200, 429);
    }

    @Test
    void a_condition_tells_which_requests_are_counted() {
        assertThat(statuses(3, "/conditions/when")).containsOnly(200);
        assertThat(statuses(2, "/conditions/when?count=1")).containsExactly(200, 429);
        assertThat(statuses(3, "/conditions/unless", "X-User: batch")).containsOnly(200);
        assertThat(statuses(2, "/conditions/unless", "X-User: ann")).containsExactly(200, 429);
        assertThat(http.get("/conditions/unless").status()).isEqualTo(429);
    }

    /** C125. */
    @Test
    void a_condition_that_fails_is_as_if_it_were_not_there(CapturedOutput output) {
        assertThat(statuses(3, "/conditions/failing")).containsExactly(200, 429, 429);
        assertThat(output.getOut().lines().filter(line -> line.contains("RL-EXPRESSION")))
                .hasSize(2)
                .anyMatch(line -> line.contains("ratelimit.rules.failing.when"))
                .anyMatch(line -> line.contains("ratelimit.rules.failing.unless"));
    }

    @ParameterizedTest
    @CsvSource({"4, 6", "0, ", "-3, 9", "x, 9", "'', 9", "2.1, 7", "NaN, 9", "1e3, 0", "1e400, 0"})
    void permits_can_be_computed(String value, String remaining) {
        Response response = http.get("/conditions/permits?n=" + value);

        boolean never = value.startsWith("1e");
        assertThat(response.status()).isEqualTo(never ? 429 : 200);
        assertThat(response.remaining()).isEqualTo(never ? "10" : remaining);
        assertThat(response.retryAfter()).isNull();
    }

    @Test
    void fractions_cost_a_whole_permit_and_what_never_fits_is_refused_without_a_wait() {
        assertThat(http.get("/conditions/costly").remaining()).isEqualTo("7");
        Response never = http.sendFrom("127.0.0.5", "GET", "/conditions/costly");
        assertThat(never.status()).isEqualTo(429);
        assertThat(never.retryAfter()).isNull();
        assertThat(never.body()).contains("costs more than its limit ever admits");
    }

    @Test
    void a_plan_has_limits_and_buckets_of_its_own() {
        String path = "/conditions/plans";
        assertThat(statuses(4, path, "X-Tenant: gold")).containsExactly(200, 200, 200, 429);
        assertThat(statuses(3, path, "X-Tenant: iron")).containsExactly(200, 200, 429);
        assertThat(statuses(2, path, "X-Tenant: lead")).containsExactly(200, 429);
        assertThat(http.get(path).status()).isEqualTo(429);
        Rule rule = rules.find("plans");
        assertThat(rule.buckets()).isEqualTo(3);
        time.advance(Duration.ofSeconds(1));
        assertThat(last(1, path, "X-Tenant: iron").limit()).isEqualTo("2");
        assertThat(last(1, path, "X-Tenant: gold").status()).isEqualTo(429);
    }

    @Test
    void a_header_tells_the_plan_only_if_a_trusted_proxy_sent_it() {
        String path = "/conditions/header-plans";
        assertThat(statuses(2, path, "X-Plan: gold")).containsExactly(200, 429);
        for (int i = 0; i < 3; i++) {
            Response trusted =
                    http.sendFrom(
                            "127.0.0.9", "GET", path, "X-Plan: gold", "X-Forwarded-For: 192.0.2.7");
            assertThat(trusted.limit()).isEqualTo("3");
            assertThat(trusted.status()).isEqualTo(200);
        }
    }

    /** Counters of a rule that nothing has been counted by in this test. */
    private RuleCounters counters(String rule) {
        RuleCounters counters = rules.find(rule).counters();
        assertThat(counters.of(Outcome.ALLOWED) + counters.of(Outcome.EXEMPT)).isZero();
        return counters;
    }
}
