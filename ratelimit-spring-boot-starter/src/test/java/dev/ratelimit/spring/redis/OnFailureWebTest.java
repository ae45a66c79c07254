package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** What clients see while there is no Redis. */
class OnFailureWebTest {

    private static final int NOBODY_LISTENS = 1;

    private static HttpResponse<String> get(Instance instance, String path) throws Exception {
        int port =
                instance.context
                        .getEnvironment()
                        .getRequiredProperty("local.server.port", Integer.class);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static Instance start(String... arguments) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] =
                "--spring.autoconfigure.exclude="
                        + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                        + "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration";
        return Instance.startWeb(NOBODY_LISTENS, all);
    }

    @Test
    void deny_answers_503_without_numbers() throws Exception {
        try (Instance instance =
                start(
                        "--ratelimit.redis.on-failure=deny",
                        "--ratelimit.rules.search.paths=/**",
                        "--ratelimit.rules.search.phase=filter")) {
            for (int i = 0; i < 8; i++) {
                HttpResponse<String> response = get(instance, "/a?b=c");
                assertThat(response.statusCode()).isEqualTo(503);
                assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
                assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
                assertThat(response.headers().firstValue("Content-Type"))
                        .hasValue("application/problem+json");
                assertThat(response.headers().firstValue("X-RateLimit-Remaining")).isEmpty();
                assertThat(response.body())
                        .contains("#temporary-reduced-capacity", "\"status\":503", "\"/a\"");
            }
            assertThat(instance.rule("search").counters().of(Outcome.STORE_FAILURE)).isEqualTo(8);
            assertThat(get(instance, "/actuator/ratelimits").body())
                    .contains("\"storeState\":\"unavailable\"");
        }
    }

    @Test
    void allow_lets_pass_without_numbers() throws Exception {
        try (Instance instance = start("--ratelimit.rules.search.paths=/**")) {
            HttpResponse<String> response = get(instance, "/none");
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(response.headers().firstValue("X-RateLimit-Remaining")).isEmpty();
        }
    }

    @Test
    void local_refuses_in_each_instance() throws Exception {
        try (Instance instance =
                start(
                        "--ratelimit.redis.on-failure=local",
                        "--ratelimit.rules.search.paths=/**",
                        "--ratelimit.rules.search.phase=filter",
                        "--ratelimit.rules.search.requests=2")) {
            assertThat(get(instance, "/").headers().firstValue("X-RateLimit-Remaining"))
                    .hasValue("1");
            get(instance, "/");
            assertThat(get(instance, "/").statusCode()).isEqualTo(429);
        }
    }
}
