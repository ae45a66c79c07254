package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.web.RawHttp.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service that a handler calls is limited; each controller has a handler for all exceptions. */
class RefusedCallWebTest extends WebTest {

    @ParameterizedTest
    @ValueSource(strings = {"/service/direct", "/async/limited-future", "/async/limited-callable"})
    void a_refused_call_is_answered_like_a_refused_request(String path) {
        assertThat(statuses(2, path)).containsOnly(200);
        Response refused = http.get(path);

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
        assertThat(refused.retryAfter()).isEqualTo("60");
        assertThat(refused.limit()).isEqualTo("2");
        assertThat(refused.remaining()).isEqualTo("0");
        assertThat(refused.body()).contains("[\"default\"]").endsWith("}");
    }

    @Test
    void an_admitted_call_shows_in_the_header_fields() {
        Response response = http.get("/service/direct");
        assertThat(response.limit()).isEqualTo("2");
        assertThat(response.remaining()).isEqualTo("1");
    }

    @Test
    void half_a_page_is_taken_back() {
        last(2, "/service/direct");
        Response refused = http.get("/service/half");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Content-Type")).startsWith("application/problem+json");
        assertThat(refused.body()).startsWith("{\"type\":").endsWith("}");
    }

    @Test
    void unnamed_rules_of_handler_and_service_have_two_names() {
        last(2, "/service/after-own");
        Response refused = http.get("/service/after-own");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.limit()).isEqualTo("2");
        assertThat(refused.body()).contains("[\"default-2\"]");
    }
}
