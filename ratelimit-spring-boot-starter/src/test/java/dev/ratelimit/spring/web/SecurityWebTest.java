package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.RawHttp.Response;
import jakarta.servlet.ServletContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

class SecurityWebTest extends SecuredWebTest {

    @Autowired Rules rules;
    @Autowired ServletContext servletContext;

    @Test
    void wrong_passwords_are_counted_in_the_filter_phase_and_in_no_other() {
        List<Integer> before = statuses(20, "/before/x", WRONG);
        assertThat(before.subList(0, 5)).containsOnly(401);
        assertThat(before.subList(5, 20)).containsOnly(429);

        assertThat(statuses(20, "/after/x", WRONG)).containsOnly(401);
        assertThat(http.get("/after/x", WRONG).limit()).isNull();
        assertThat(http.get("/after/x", RIGHT).remaining()).isEqualTo("4");
    }

    @Test
    void a_refusal_in_the_filter_phase_is_answered_as_any_other() {
        Response unauthorized = http.get("/before/x");
        assertThat(unauthorized.status()).isEqualTo(401);
        assertThat(unauthorized.limit()).isEqualTo("5");
        assertThat(unauthorized.remaining()).isEqualTo("4");

        statuses(4, "/before/x");
        Response refused = http.get("/before/x;a=b?c", RIGHT);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.retryAfter()).isEqualTo("60");
        assertThat(refused.remaining()).isEqualTo("0");
        assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.body())
                .contains("\"instance\":\"/before/x\"")
                .contains("\"violated-policies\":[\"before\"]");
    }

    @Test
    void no_spelling_of_a_path_makes_guesses_uncounted() {
        List<String> spellings =
                List.of(
                        "/before/x",
                        "/before/x/",
                        "//before/x",
                        "/before//x",
                        "/./before/x",
                        "/y/../before/x",
                        "/%62efore/x",
                        "/before;a=b/x",
                        "/;a/before/x",
                        "/before%2Fx",
                        "/before");
        for (String spelling : spellings) {
            aYearLater();
            List<Integer> statuses = statuses(8, spelling, WRONG);
            statuses.removeIf(status -> status != 401);
            assertThat(statuses).as(spelling).hasSizeLessThanOrEqualTo(5);
        }
    }

    @Test
    void a_path_variable_of_the_rule_is_known_before_any_handler() {
        assertThat(statuses(3, "/tenants/1/x", WRONG)).containsExactly(401, 401, 429);
        assertThat(statuses(3, "/tenants/2/x", WRONG)).containsExactly(401, 401, 429);
        assertThat(http.get("/tenants/%31/y", WRONG).status()).isEqualTo(429);
    }

    @Test
    void a_rule_that_the_filter_charged_is_not_charged_again_by_an_annotation() {
        assertThat(http.get("/named/by-path").remaining()).isEqualTo("4");
        assertThat(http.get("/named/by-annotation").remaining()).isEqualTo("3");
        assertThat(http.get("/named/by-path").remaining()).isEqualTo("2");
    }

    @Test
    void only_failed_logins_count() {
        for (int i = 0; i < 10; i++) {
            assertThat(logIn("right").status()).isEqualTo(302);
        }
        for (int i = 0; i < 5; i++) {
            assertThat(logIn("wrong").status()).isEqualTo(401);
        }
        assertThat(logIn("right").status()).isEqualTo(429);
        assertThat(http.get("/login").status()).isEqualTo(200);
    }

    @Test
    void many_guesses_at_once_have_no_more_than_there_is() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(60);
        try {
            List<Future<Integer>> guesses = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                guesses.add(clients.submit(() -> logIn("wrong").status()));
            }
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> guess : guesses) {
                statuses.add(guess.get());
            }
            assertThat(statuses).containsOnly(401, 429);
            statuses.removeIf(status -> status == 429);
            assertThat(statuses).hasSize(5);
        } finally {
            clients.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "before, mvc", "before, annotated", "before, security-bean", "before, security-own",
        "after, mvc", "after, annotated", "after, security-bean", "after, security-own"
    })
    void a_refusal_has_the_cors_fields_of_an_answer(String phase, String configured) {
        String path = "/cors/" + phase + "/" + configured;
        String origin = "Origin: " + SecuredSite.GOOD_ORIGIN;
        Response allowed = http.get(path, origin);
        Response refused = http.get(path, origin);

        assertThat(allowed.status()).isEqualTo(200);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Access-Control-Allow-Origin"))
                .isEqualTo(SecuredSite.GOOD_ORIGIN)
                .isEqualTo(allowed.header("Access-Control-Allow-Origin"));
        assertThat(refused.all("Vary")).isEqualTo(allowed.all("Vary"));
        String exposed = allowed.header("Access-Control-Expose-Headers");
        assertThat(exposed).contains("X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset");
        assertThat(refused.header("Access-Control-Expose-Headers"))
                .isEqualTo(exposed + ", Retry-After");
        assertThat(refused.body()).startsWith("{").endsWith("}");
    }

    @ParameterizedTest
    @CsvSource({"mvc", "annotated", "security-bean", "security-own"})
    void an_origin_that_is_not_allowed_gets_the_refusal_without_cors_fields(String configured) {
        String path = "/cors/before/" + configured;
        http.get(path);
        Response refused = http.get(path, "Origin: https://bad.example");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Access-Control-Allow-Origin")).isNull();
        assertThat(refused.body()).startsWith("{").endsWith("}");
    }

    @Test
    void each_filter_is_there_once() {
        assertThat(servletContext.getFilterRegistrations().keySet())
                .filteredOn(name -> name.contains("rateLimit"))
                .containsExactlyInAnyOrder("rateLimitFilter", "rateLimitSettlementFilter");
    }
}
