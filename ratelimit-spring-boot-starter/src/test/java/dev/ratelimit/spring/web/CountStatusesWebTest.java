package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.spring.key.Key;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Rules for which only responses with some statuses count, and all that a request can end in. */
class CountStatusesWebTest extends SecuredWebTest {

    @Autowired Rules rules;

    @ParameterizedTest
    @CsvSource({
        "ok, 200",
        "callable, 200",
        "stream, 200",
        "events, 200",
        "restarted, 200",
        "to-missing, 404",
        "missing, 404",
        "sent, 418",
        "conflict, 409",
        "thrown, 500",
        "callable-thrown, 500",
        "future-conflict, 409",
        "forbidden, 401"
    })
    void a_request_counts_if_its_response_has_one_of_the_statuses(String page, int status) {
        for (String phase : List.of("before", "after")) {
            String path = "/" + phase + "-statuses/" + page;
            for (int i = 0; i < 7; i++) {
                boolean refused = status != 200 && i >= 5;
                assertThat(http.get(path).status()).as(path).isEqualTo(refused ? 429 : status);
                awaitRemaining("statuses-" + phase, status == 200 ? 5 : Math.max(0, 4 - i));
            }
        }
    }

    /** Tomcat looks for timeouts once a second. */
    @Test
    void a_timeout_counts_by_the_status_that_it_ends_in() {
        for (String phase : List.of("before", "after")) {
            assertThat(http.get("/" + phase + "-statuses/timeout").status()).isEqualTo(503);
            awaitRemaining("statuses-" + phase, 4);
        }
    }

    @Test
    void method_security_refuses_after_the_handler_was_found() {
        for (String phase : List.of("before", "after")) {
            for (int remaining = 4; remaining >= 0; remaining--) {
                String path = "/" + phase + "-statuses/forbidden";
                assertThat(http.get(path, RIGHT).status()).isEqualTo(403);
                awaitRemaining("statuses-" + phase, remaining);
            }
        }
    }

    @Test
    void a_refusal_by_another_rule_is_no_response_that_counts() {
        for (String phase : List.of("before", "after")) {
            String path = "/" + phase + "-statuses/refused";
            http.get(path);
            for (int i = 0; i < 7; i++) {
                Response refused = http.get(path);
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.body()).contains("[\"refusing\"]");
            }
            awaitRemaining("statuses-" + phase, 5);
            aYearLater();
        }
    }

    @Test
    void the_fields_show_what_is_left_while_the_request_is_at_work() {
        assertThat(http.get("/before-statuses/ok").remaining()).isEqualTo("4");
        assertThat(http.get("/before-statuses/ok").remaining()).isEqualTo("4");
    }

    @Test
    void a_rule_that_only_watches_counts_the_same_responses() {
        statuses(5, "/watched/ok");
        awaitRemaining("watching", 2);
        Rule rule = rules.find("watching");
        assertThat(rule.counters().of(Outcome.SHADOW_REJECTED)).isZero();

        assertThat(statuses(5, "/watched/missing")).containsOnly(404);
        awaitRemaining("watching", 0);
        assertThat(rule.counters().of(Outcome.SHADOW_REJECTED)).isEqualTo(3);
    }

    @Test
    void what_an_annotation_charges_counts_whatever_the_response() {
        assertThat(statuses(5, "/only-failures/by-path")).containsOnly(200);
        assertThat(statuses(4, "/only-failures/by-annotation")).containsExactly(200, 200, 200, 429);
    }

    @Test
    void a_forward_is_settled_with_the_request_that_it_is_part_of() {
        assertThat(statuses(7, "/forward-to-limited")).containsOnly(200);
        awaitRemaining("statuses-before", 5);
        assertThat(statuses(7, "/late-forward-to-limited")).containsOnly(200);
        awaitRemaining("statuses-after", 5);
    }

    /** The response may be with the client before the server is done with the request. */
    private void awaitRemaining(String rule, long remaining) {
        KeyedLimits limits = rules.find(rule).limits();
        await().pollInterval(5, TimeUnit.MILLISECONDS)
                .untilAsserted(
                        () -> {
                            Charge charge = new Charge(limits, Key.of("ip", "127.0.0.1"), 1);
                            limits.peek(charge);
                            assertThat(charge.remaining(0)).as(rule).isEqualTo(remaining);
                        });
    }
}
