package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.web.RawHttp.Response;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderFieldsWebTest extends WebTest {

    @Test
    void fields_show_the_deciding_limit_with_its_reset_as_an_epoch_second() {
        long epochSeconds = time.epochNanos() / 1_000_000_000;
        Response response = http.get("/search");

        assertThat(response.limit()).isEqualTo("3");
        assertThat(response.remaining()).isEqualTo("2");
        assertThat(response.reset()).isEqualTo(Long.toString(epochSeconds + 60));
        assertThat(response.header("RateLimit")).isNull();
    }

    @Test
    void fields_stand_once_with_the_strictest_rule_of_path_and_annotation() {
        Response allowed = http.get("/shared/annotated");
        assertThat(allowed.all("X-RateLimit-Limit")).containsExactly("5");
        assertThat(allowed.all("X-RateLimit-Remaining")).containsExactly("4");
        assertThat(allowed.all("X-RateLimit-Reset")).hasSize(1);

        Response refused = last(5, "/shared/annotated");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.all("X-RateLimit-Limit")).containsExactly("5");
        assertThat(refused.all("X-RateLimit-Remaining")).containsExactly("0");
        assertThat(refused.all("Retry-After")).containsExactly("60");
        assertThat(refused.all("Cache-Control")).containsExactly("no-store");
        assertThat(refused.all("Content-Type")).hasSize(1);
    }

    @Test
    void a_rule_by_path_and_by_annotation_is_charged_once() {
        assertThat(http.get("/shared/same").remaining()).isEqualTo("5");
        assertThat(http.get("/shared/same").remaining()).isEqualTo("4");
    }

    @Test
    void the_limit_that_refuses_fills_all_fields() {
        for (int second = 0; second < 2; second++) {
            assertThat(statuses(2, "/two")).containsOnly(200);
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(http.get("/two").limit()).isEqualTo("5");

        Response refused = http.get("/two");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.limit()).isEqualTo("5");
        assertThat(refused.retryAfter()).isEqualTo("86398");
        long epochSeconds = time.epochNanos() / 1_000_000_000;
        assertThat(refused.reset()).isEqualTo(Long.toString(epochSeconds + 86_398));
        assertThat(refused.body()).contains("86398 seconds").contains("[\"two-limits\"]");
    }

    @Test
    void when_only_the_short_limit_refuses_the_answer_is_about_it() {
        Response refused = last(3, "/two");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.limit()).isEqualTo("2");
        assertThat(refused.retryAfter()).isEqualTo("1");
        assertThat(refused.body()).contains("1 second.");
    }

    @ParameterizedTest
    @CsvSource({"/tokens, 10, 1", "/slow-tokens, 1, 2"})
    void a_wait_of_part_of_a_second_is_rounded_up(String path, int allowed, String retryAfter) {
        assertThat(last(allowed, path).status()).isEqualTo(200);
        Response refused = http.get(path);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.retryAfter()).isEqualTo(retryAfter);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed", "sliding", "log", "bucket"})
    void who_waits_as_long_as_told_is_admitted(String strategy) {
        time.advance(Duration.ofMillis(20_500));
        String path = "/wait/" + strategy;
        assertThat(http.get(path).status()).isEqualTo(200);
        Response refused = http.get(path);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.retryAfter()).matches("[1-9]\\d*");
        assertThat(Long.parseLong(refused.retryAfter())).isLessThanOrEqualTo(120);

        time.advance(Duration.ofSeconds(Long.parseLong(refused.retryAfter())));
        assertThat(http.get(path).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "void, 200",
        "entity, 201",
        "redirect, 302",
        "not-modified, 304",
        "emptied, 409",
        "no-such-page, 404"
    })
    void fields_stand_on_responses_of_all_kinds(String kind, int status) {
        Response response = http.get("/responses/" + kind);
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.remaining()).isEqualTo("4");
    }

    @Test
    void a_committed_response_goes_on_without_fields_and_ends_when_refused() {
        Response response = http.get("/responses/committed");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("earlylate");
        assertThat(response.limit()).isNull();

        Response refused = last(5, "/responses/committed");
        assertThat(refused.status()).isEqualTo(200);
        assertThat(refused.body()).isEqualTo("early");
    }

    @Test
    void annotated_methods_have_limits_of_their_own_for_all_ids() {
        assertThat(http.get("/annotated/a/1").remaining()).isEqualTo("2");
        assertThat(http.get("/annotated/a/2").remaining()).isEqualTo("1");
        assertThat(http.get("/annotated/a/3").remaining()).isEqualTo("0");
        assertThat(http.get("/annotated/a/4").status()).isEqualTo(429);
        assertThat(http.get("/annotated/b/4").remaining()).isEqualTo("2");
    }
}
