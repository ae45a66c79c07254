package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.web.RawHttp.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DispatchWebTest extends WebTest {

    @ParameterizedTest
    @CsvSource({
        "/errors/thrown, 500",
        "/errors/sent, 418",
        "/errors/handled, 422",
        "/errors/no-such-page, 404",
        "/static/file.txt, 200",
        "/static/no-such-file.txt, 404"
    })
    void each_request_costs_one_whatever_becomes_of_it(String path, int status) {
        for (int remaining = 9; remaining >= 0; remaining--) {
            Response response = http.get(path);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.remaining()).isEqualTo(Integer.toString(remaining));
        }
        assertThat(http.get(path).status()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"callable", "deferred", "future", "events", "stream"})
    void asynchronous_requests_count_once(String kind) {
        for (int remaining = 4; remaining >= 0; remaining--) {
            Response response = http.get("/async/" + kind);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).contains("k");
            assertThat(response.remaining()).isEqualTo(Integer.toString(remaining));
        }
        assertThat(http.get("/async/" + kind).status()).isEqualTo(429);
    }

    @Test
    void a_forward_is_charged_by_the_rules_of_its_target() {
        assertThat(http.get("/forward").limit()).isEqualTo("3");
        assertThat(http.get("/forward").remaining()).isEqualTo("1");
        assertThat(http.get("/target").remaining()).isEqualTo("0");

        Response refused = http.get("/forward");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.body()).contains("[\"target\"]").contains("\"instance\":\"/forward\"");
    }

    @Test
    void a_forward_is_not_charged_by_a_rule_that_charged_the_request() {
        assertThat(http.get("/forward-again").remaining()).isEqualTo("2");
        assertThat(http.get("/forward-again").remaining()).isEqualTo("1");
    }

    @Test
    void includes_are_free() {
        Response response = http.get("/including/page");
        assertThat(response.body()).isEqualTo("partpart");
        assertThat(response.remaining()).isEqualTo("4");
    }
}
