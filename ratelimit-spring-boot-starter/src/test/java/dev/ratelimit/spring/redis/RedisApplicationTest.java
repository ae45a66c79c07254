package dev.ratelimit.spring.redis;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.spring.rule.Rule;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Whole applications over Redis. Comments name cases, as in the core's tests. */
@ExtendWith(OutputCaptureExtension.class)
class RedisApplicationTest {

    private static final Duration HEALED = Duration.ofSeconds(15);

    private static final LettuceConnectionFactory CONNECTIONS = RedisServer.common().connect();

    private final StringRedisTemplate redis = new StringRedisTemplate(CONNECTIONS);

    private static Instance startWeb(int redisPort, String... arguments) {
        return Instance.startWeb(
                redisPort,
                Stream.concat(
                                Arrays.stream(arguments),
                                Stream.of(
                                        "--management.endpoints.web.exposure.include=ratelimits,prometheus",
                                        "--management.endpoint.ratelimits.access=unrestricted",
                                        "--spring.autoconfigure.exclude="
                                                + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                                                + "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration"))
                        .toArray(String[]::new));
    }

    private static HttpResponse<String> send(Instance instance, String method, String path)
            throws Exception {
        int port =
                instance.context
                        .getEnvironment()
                        .getRequiredProperty("local.server.port", Integer.class);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .header("X-Api-Key", "sk_live_SECRET")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static String get(Instance instance, String path) throws Exception {
        return send(instance, "GET", path).body();
    }

    // C71
    @Test
    void a_secret_key_stands_nowhere_in_clear(CapturedOutput output) throws Exception {
        RedisServer.common().flush();
        try (Instance instance =
                startWeb(
                        RedisServer.common().port,
                        "--ratelimit.hash-secret=ours",
                        "--ratelimit.rules.search.key=header:X-Api-Key",
                        "--ratelimit.rules.search.paths=/**",
                        "--ratelimit.rules.search.requests=1",
                        "--logging.level.dev.ratelimit=trace",
                        "--logging.level.org.springframework.data.redis=trace",
                        "--logging.level.io.lettuce=debug")) {
            get(instance, "/");
            HttpResponse<String> refused = send(instance, "GET", "/");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("search").doesNotContain("SECRET");
            assertThat(refused.headers().map().toString()).doesNotContain("SECRET");
            assertThat(get(instance, "/actuator/ratelimits/search"))
                    .contains("\"top\":[{")
                    .doesNotContain("SECRET");
            Instance.await(HEALED, () -> scrape(instance).contains("bucket_remaining{"));
            assertThat(scrape(instance)).doesNotContain("SECRET");
        }
        Set<String> keys = redis.keys("*");
        assertThat(keys).hasSize(1).allMatch(key -> key.startsWith("ratelimit:{search:"));
        assertThat(keys.toString()).doesNotContain("SECRET");
        assertThat(output).contains("Rate limit 'search' rejects").doesNotContain("SECRET");
    }

    private static String scrape(Instance instance) {
        try {
            return get(instance, "/actuator/prometheus");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    // C121
    @Test
    void every_spelling_of_a_window_is_the_time_that_stands_in_redis() {
        RedisServer.common().flush();
        Map<String, Duration> windows =
                Map.of(
                        "1s", Duration.ofSeconds(1),
                        "1000ms", Duration.ofSeconds(1),
                        "PT1S", Duration.ofSeconds(1),
                        "60", Duration.ofMinutes(1),
                        "1m", Duration.ofMinutes(1),
                        "1h", Duration.ofHours(1),
                        "1d", Duration.ofDays(1));
        List<String> arguments =
                windows.keySet().stream()
                        .flatMap(
                                window -> {
                                    String rule = "--ratelimit.rules." + ruleOf(window);
                                    return Stream.of(
                                            rule + ".key=global",
                                            rule + ".requests=5",
                                            rule + ".window=" + window,
                                            rule + ".strategy=sliding-log");
                                })
                        .toList();
        try (Instance instance =
                Instance.start(RedisServer.common().port, arguments.toArray(String[]::new))) {
            assertThat(instance.decides()).isTrue();
            windows.forEach(
                    (text, window) -> {
                        Rule rule = instance.rule(ruleOf(text));
                        assertThat(rule.limits().limits().get(0).config().windowNanos())
                                .isEqualTo(window.toNanos());
                        instance.call(rule.name());
                        String key = redis.keys("*{" + rule.name() + ":*").iterator().next();
                        assertThat(Duration.ofMillis(redis.getExpire(key, MILLISECONDS)))
                                .isBetween(window.minusMillis(900), window);
                    });
        }
    }

    private static String ruleOf(String window) {
        return "w-" + window.toLowerCase(java.util.Locale.ROOT);
    }

    // C137
    @Test
    void instances_that_started_without_redis_share_their_limits_when_it_comes() {
        RedisServer server = new RedisServer();
        server.stop();
        String[] local = {
            "--ratelimit.redis.on-failure=local",
            "--ratelimit.rules.shared.requests=10",
            "--ratelimit.rules.shared.window=1d",
        };
        try (Instance one = Instance.start(server.port, local);
                Instance other = Instance.start(server.port, local)) {
            for (int i = 0; i < 12; i++) {
                assertThat(one.allowed()).isEqualTo(i < 10);
                assertThat(other.allowed()).isEqualTo(i < 10);
            }
            server.start();
            Instance.await(HEALED, () -> one.decides() && other.decides());
            for (int i = 0; i < 12; i++) {
                assertThat((i % 2 == 0 ? one : other).call("shared").allowed()).isEqualTo(i < 10);
            }
        } finally {
            server.stop();
        }
    }

    @Test
    void operators_see_that_redis_does_not_answer() throws Exception {
        RedisServer server = new RedisServer();
        try (Instance instance =
                startWeb(
                        server.port,
                        "--ratelimit.rules.search.paths=/**",
                        "--ratelimit.rules.search.key=ip")) {
            get(instance, "/");
            String details = get(instance, "/actuator/ratelimits/search");
            assertThat(JsonPath.<Integer>read(details, "$.top[0].remaining")).isEqualTo(9);
            assertThat(send(instance, "DELETE", "/actuator/ratelimits/search?key=x").statusCode())
                    .isEqualTo(204);
            Instance.await(HEALED, () -> scrape(instance).contains("bucket_remaining{"));
            assertThat(gauge(instance)).isEqualTo("9.0");

            server.kill();
            Instance.await(HEALED, () -> !instance.decides());

            details = get(instance, "/actuator/ratelimits/search");
            Map<String, Object> top = JsonPath.read(details, "$.top[0]");
            assertThat(top).containsEntry("allowed", 1).containsEntry("remaining", null);
            assertThat(top).containsEntry("reset", null);
            assertThat(send(instance, "DELETE", "/actuator/ratelimits/search?key=x").statusCode())
                    .isEqualTo(503);
            assertThat(gauge(instance)).isEqualTo("NaN");
        } finally {
            server.stop();
        }
    }

    private static String gauge(Instance instance) {
        return scrape(instance)
                .lines()
                .filter(line -> line.startsWith("ratelimit_bucket_remaining{"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .findFirst()
                .orElseThrow();
    }
}
