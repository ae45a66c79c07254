package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnnotationsTest extends CompatTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/annotated/handler",
                "/annotated/twice",
                "/annotated/named",
                "/calls/converter",
                "/calls/composed",
                "/calls/interface"
            })
    void the_second_call_is_rejected(String path) {
        assertThat(status(path)).isEqualTo(200);
        assertThat(get(path))
                .satisfies(
                        rejected -> {
                            assertThat(rejected.statusCode()).isEqualTo(429);
                            assertThat(header(rejected, "Retry-After")).matches("[1-9]\\d*");
                            assertThat(header(rejected, "X-RateLimit-Remaining")).isEqualTo("0");
                        });
    }

    @Test
    void the_methods_of_an_annotated_type_share_its_limit() {
        assertThat(status("/calls/type-first")).isEqualTo(200);
        assertThat(status("/calls/type-second")).isEqualTo(200);
        assertThat(status("/calls/type-first")).isEqualTo(429);
        assertThat(status("/calls/type-second")).isEqualTo(429);
    }

    @Test
    void expressions_see_arguments_and_a_fallback_answers_in_place_of_a_refused_call() {
        assertThat(get("/calls/rate/EUR").body()).isEqualTo("rate of EUR");
        assertThat(get("/calls/rate/EUR").body()).isEqualTo("rate of EUR");
        assertThat(get("/calls/rate/EUR").body())
                .isEqualTo("last rate of EUR, for Converter.rate is exceeded");
        assertThat(get("/calls/rate/USD").body()).isEqualTo("rate of USD");
    }
}
