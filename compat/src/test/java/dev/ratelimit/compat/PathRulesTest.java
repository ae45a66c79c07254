package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathRulesTest extends CompatTest {

    @Test
    void a_response_shows_its_limit_in_both_styles() {
        long epochSecond = Duration.ofNanos(time.epochNanos()).toSeconds();

        HttpResponse<String> response = get("/search/a");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("2");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("1");
        assertThat(header(response, "X-RateLimit-Reset")).isEqualTo("" + (epochSecond + 30));
        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"search\";q=2;w=60");
        assertThat(header(response, "RateLimit")).isEqualTo("\"search\";r=1;t=30");
    }

    @Test
    void a_rejected_request_is_told_why_and_when_to_come_back() {
        assertThat(statuses(2, "/search")).containsOnly(200);

        HttpResponse<String> rejected = get("/search?q=secret");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "Retry-After")).isEqualTo("30");
        assertThat(header(rejected, "Cache-Control")).isEqualTo("no-store");
        assertThat(header(rejected, "Content-Type"))
                .startsWithIgnoringCase("application/problem+json");
        assertThat(CompatTest.<Map<String, Object>>json(rejected, "$"))
                .containsEntry(
                        "type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
                .containsEntry("status", 429)
                .containsEntry("instance", "/search")
                .containsEntry("violated-policies", List.of("search"))
                .containsKeys("title", "detail");

        time.advance(Duration.ofSeconds(30));
        assertThat(statuses(2, "/search")).containsExactly(200, 429);
    }

    @Test
    void a_get_rule_counts_head_and_a_rejected_head_has_no_body() {
        assertThat(send("HEAD", "/search", "").statusCode()).isEqualTo(200);
        assertThat(status("/search")).isEqualTo(200);
        HttpResponse<String> rejected = send("HEAD", "/search", "");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).isEmpty();
    }

    @Test
    void the_stricter_of_two_limits_decides() {
        assertThat(statuses(3, "/two-limits")).containsExactly(200, 200, 429);
        time.advance(Duration.ofSeconds(1));
        assertThat(statuses(2, "/two-limits")).containsExactly(200, 429);
        assertThat(header(get("/two-limits"), "Retry-After")).isEqualTo("86399");
    }

    @Test
    void users_headers_and_path_variables_are_keys() {
        assertThat(statuses(2, "/members/home", basic("ann"))).containsExactly(200, 429);
        assertThat(statuses(2, "/members/home", basic("batch"))).containsExactly(200, 429);
        assertThat(status("/members/home")).isEqualTo(401);

        assertThat(statuses(2, "/by-header", "X-Api-Key", "a")).containsExactly(200, 429);
        assertThat(statuses(2, "/by-header", "X-Api-Key", "b")).containsExactly(200, 429);

        assertThat(statuses(2, "/shops/a")).containsExactly(200, 429);
        assertThat(statuses(2, "/shops/%62")).containsExactly(200, 429);
        assertThat(status("/shops/b")).isEqualTo(429);
    }

    @ParameterizedTest
    @CsvSource({
        "/kinds/callable, 200",
        "/kinds/events, 200",
        "/kinds/thrown, 422",
        "/kinds/sent, 418",
        "/kinds/no-such-page, 404",
        "/page.txt, 200"
    })
    void a_request_counts_once_whatever_becomes_of_it(String path, int status) {
        for (int remaining = 1; remaining >= 0; remaining--) {
            HttpResponse<String> response = get(path);
            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("" + remaining);
        }
        assertThat(status(path)).isEqualTo(429);
    }

    @Test
    void a_forward_is_counted_by_the_rule_of_its_target() {
        assertThat(statuses(3, "/forward")).containsExactly(200, 200, 429);
        assertThat(status("/target")).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/cors/global", "/cors/annotated"})
    void a_browser_may_read_a_rejection_and_its_preflights_are_free(String path) {
        String[] origin = {"Origin", "https://good.example"};
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> preflight =
                    send(
                            "OPTIONS",
                            path,
                            "",
                            "Origin",
                            "https://good.example",
                            "Access-Control-Request-Method",
                            "GET");
            assertThat(preflight.statusCode()).isEqualTo(200);
        }
        assertThat(status(path, origin)).isEqualTo(200);

        HttpResponse<String> rejected = get(path, origin);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "Access-Control-Allow-Origin"))
                .isEqualTo("https://good.example");
        assertThat(header(rejected, "Access-Control-Expose-Headers"))
                .contains("Retry-After", "X-RateLimit-Remaining", "RateLimit");
    }

    @Test
    void expressions_decide_whether_and_how_much_a_request_counts() {
        assertThat(statuses(3, "/when")).containsOnly(200);
        assertThat(statuses(2, "/when?count")).containsExactly(200, 429);

        assertThat(statuses(2, "/permits?n=5")).containsOnly(200);
        assertThat(status("/permits?n=1")).isEqualTo(429);
        HttpResponse<String> never = get("/permits?n=11");
        assertThat(never.statusCode()).isEqualTo(429);
        assertThat(header(never, "Retry-After")).isEmpty();
    }

    @Test
    void an_expression_sees_the_user_of_spring_security() {
        assertThat(statuses(2, "/members/reports", basic("batch"))).containsExactly(200, 429);
        assertThat(json(get("/actuator/ratelimits/unless"), "$.allowed").toString()).isEqualTo("0");
    }

    @Test
    void wrong_passwords_are_counted_before_spring_security() {
        String[] wrong = basic("nobody");
        assertThat(statuses(5, "/vault", basic("ann"))).containsOnly(200);
        assertThat(statuses(3, "/vault", wrong)).containsExactly(401, 401, 429);
        HttpResponse<String> rejected = get("/vault", basic("ann"));
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(header(rejected, "Retry-After")).isEqualTo("60");
    }

    @Test
    void shadow_rules_reject_nothing_and_plans_have_limits_of_their_own() {
        assertThat(statuses(3, "/shadow")).containsOnly(200);

        assertThat(statuses(4, "/plans", "X-Plan", "gold")).containsExactly(200, 200, 200, 429);
        assertThat(statuses(2, "/plans")).containsExactly(200, 429);
    }

    @Test
    void rules_in_java_apply() {
        assertThat(statuses(2, "/in-java")).containsExactly(200, 429);
    }

    private static String[] basic(String user) {
        byte[] credentials = (user + ":secret").getBytes(StandardCharsets.UTF_8);
        return new String[] {
            "Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials)
        };
    }
}
