package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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
        return start(NOBODY_LISTENS, arguments);
    }

    private static Instance start(int redisPort, String... arguments) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] =
                "--spring.autoconfigure.exclude="
                        + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                        + "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration";
        return Instance.startWeb(redisPort, all);
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
            assertThat(instance.rule("search").counters().of(Outcome.STORE_FAILURE)).isEqualTo(1);
        }
    }

    @Test
    void a_rule_that_could_not_be_decided_before_security_is_not_asked_again() throws Exception {
        try (Instance instance =
                start(
                        "--ratelimit.rules.search.paths=/**",
                        "--ratelimit.rules.search.phase=filter",
                        "--ratelimit.rules.watching.paths=/**",
                        "--ratelimit.rules.watching.phase=filter",
                        "--ratelimit.rules.watching.requests=1",
                        "--ratelimit.rules.watching.window=1d",
                        "--ratelimit.rules.watching.mode=shadow")) {
            get(instance, "/none");
            for (String rule : List.of("search", "watching")) {
                assertThat(instance.rule(rule).counters().of(Outcome.STORE_FAILURE)).isEqualTo(1);
            }
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

    /** With a user who may touch the keys of one rule only. */
    private static Instance startHalf(String onFailure) {
        RedisServer server = RedisServer.common();
        server.flush();
        LettuceConnectionFactory admin = server.connect();
        try (RedisConnection connection = admin.getConnection()) {
            connection.execute(
                    "ACL",
                    Stream.of("SETUSER", "half", "on", ">secret", "~ratelimit:{search:*", "+@all")
                            .map(ScriptCall::bytes)
                            .toArray(byte[][]::new));
        } finally {
            admin.destroy();
        }
        return start(
                server.port,
                "--spring.data.redis.username=half",
                "--spring.data.redis.password=secret",
                "--ratelimit.rules.search.paths=/**",
                "--ratelimit.rules.search.phase=filter",
                "--ratelimit.rules.search.requests=2",
                "--ratelimit.rules.other.paths=/**",
                "--ratelimit.rules.other.phase=filter",
                "--ratelimit.rules.other.requests=5",
                "--ratelimit.rules.other.window=1d",
                "--ratelimit.rules.other.on-failure=" + onFailure);
    }

    @Test
    void of_two_rules_the_one_that_redis_decides_on_is_shown_and_enforced() throws Exception {
        try (Instance instance = startHalf("allow")) {
            for (String remaining : List.of("1", "0")) {
                HttpResponse<String> response = get(instance, "/");
                assertThat(response.statusCode()).isEqualTo(404);
                assertThat(response.headers().firstValue("X-RateLimit-Remaining"))
                        .hasValue(remaining);
            }
            HttpResponse<String> refused = get(instance, "/");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("\"violated-policies\":[\"search\"]");
            assertThat(instance.rule("other").counters().of(Outcome.STORE_FAILURE)).isEqualTo(3);
        }
    }

    @Test
    void of_two_rules_the_one_that_denies_costs_the_other_nothing() throws Exception {
        try (Instance instance = startHalf("deny")) {
            for (int i = 0; i < 4; i++) {
                assertThat(get(instance, "/").statusCode()).isEqualTo(503);
            }
            assertThat(instance.rule("search").counters().of(Outcome.ALLOWED)).isZero();
            assertThat(instance.store().state()).isEqualTo("available");
        }
    }
}
