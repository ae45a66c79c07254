package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.web.RawHttp.Response;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorsWebTest extends WebTest {

    private static final String ORIGIN = "Origin: https://good.example";

    @ParameterizedTest
    @ValueSource(strings = {"/cors/global", "/cors/annotated"})
    void a_refusal_has_the_cors_fields_of_its_path(String path) {
        Response refused = last(2, path, ORIGIN);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://good.example");
        assertThat(refused.body()).contains("cross-origin");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/cors/global", "/cors/annotated"})
    void preflights_are_neither_counted_nor_refused(String path) {
        for (int i = 0; i < 3; i++) {
            Response preflight =
                    http.send("OPTIONS", path, ORIGIN, "Access-Control-Request-Method: GET");
            assertThat(preflight.status()).isEqualTo(200);
            assertThat(preflight.header("Access-Control-Allow-Origin")).isNotNull();
            assertThat(preflight.limit()).isNull();
        }
        assertThat(http.get(path, ORIGIN).status()).isEqualTo(200);
        assertThat(http.get(path, ORIGIN).status()).isEqualTo(429);
        assertThat(
                        http.send("OPTIONS", path, ORIGIN, "Access-Control-Request-Method: GET")
                                .status())
                .isEqualTo(200);
    }
}
