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
}
