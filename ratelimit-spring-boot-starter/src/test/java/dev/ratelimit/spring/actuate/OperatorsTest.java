package dev.ratelimit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.RateLimiters;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What operators can change while the application runs. */
class OperatorsTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = application("--management.endpoint.ratelimits.access=unrestricted");
    }

    private static ConfigurableApplicationContext application(String... more) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "management.endpoints.web.exposure.include=ratelimits",
                        "ratelimit.rules.search.paths=/search",
                        "ratelimit.rules.search.requests=1",
                        "ratelimit.rules.search.window=1h",
                        "ratelimit.rules.tenants.paths=/tenants",
                        "ratelimit.rules.tenants.key=bean:tenantOf",
                        "ratelimit.rules.tenants.requests=1",
                        "ratelimit.rules.tenants.window=1h",
                        "ratelimit.rules.keys.paths=/keys",
                        "ratelimit.rules.keys.key=header:X-Api-Key",
                        "ratelimit.rules.keys.plan=bean:tenantOf",
                        "ratelimit.rules.keys.plans.gold.requests=2",
                        "ratelimit.rules.keys.limits[0].requests=1",
                        "ratelimit.rules.keys.limits[0].window=1h",
                        "ratelimit.rules.keys.limits[1].requests=1",
                        "ratelimit.rules.keys.limits[1].window=1d",
                        "ratelimit.rules.keys.plans.gold.window=1h",
                        "ratelimit.rules.pairs.paths=/pairs",
                        "ratelimit.rules.pairs.key=bean:tenantOf,header:X-Api-Key",
                        "ratelimit.rules.pairs.requests=1",
                        "ratelimit.rules.pairs.window=1h",
                        "ratelimit.rules.costly.permits=3",
                        "ratelimit.rules.costly.requests=3",
                        "ratelimit.rules.costly.window=1h")
                .run(more);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    /** What earlier tests spent is earned again. */
    @BeforeEach
    void aDayLater() {
        ManualTimeSource time = application.getBean(ManualTimeSource.class);
        time.set(Instant.ofEpochSecond(0, time.epochNanos()).plusSeconds(86_400));
    }

    /** C148. */
    @Test
    void one_client_is_let_in_again_and_no_other() throws Exception {
        assertThat(statuses(2, "/tenants", "X-Tenant", "a")).containsExactly(200, 429);
        assertThat(statuses(2, "/tenants", "X-Tenant", "b")).containsExactly(200, 429);

        assertThat(delete("tenants", "a")).isEqualTo(204);

        assertThat(statuses(2, "/tenants", "X-Tenant", "a")).containsExactly(200, 429);
        assertThat(statuses(1, "/tenants", "X-Tenant", "b")).containsExactly(429);
    }

    /** C150. */
    @ParameterizedTest
    @ValueSource(strings = {"tenant/42", "100%", "a b", "a|b", "a\\b", "ä&ö=?#", "..", "global"})
    void any_key_can_be_named(String tenant) throws Exception {
        String sent = URLEncoder.encode(tenant, StandardCharsets.UTF_8);
        assertThat(statuses(2, "/tenants?tenant=" + sent)).containsExactly(200, 429);
        assertThat(statuses(2, "/pairs?tenant=" + sent, "X-Api-Key", "k"))
                .containsExactly(200, 429);

        assertThat(delete("tenants", tenant)).isEqualTo(204);
        for (String id : ids("pairs")) {
            assertThat(delete("pairs", id)).isEqualTo(204);
        }

        assertThat(statuses(1, "/tenants?tenant=" + sent)).containsExactly(200);
        assertThat(statuses(1, "/pairs?tenant=" + sent, "X-Api-Key", "k")).containsExactly(200);
    }

    @Test
    void a_secret_is_named_by_its_listed_id_or_by_itself_under_every_limit_and_plan()
            throws Exception {
        for (String plan : List.of("none", "gold")) {
            String path = "/keys?tenant=" + plan;
            int last = plan.equals("gold") ? 3 : 2;
            assertThat(statuses(last, path, "X-Api-Key", "sk_live")).last().isEqualTo(429);
            assertThat(delete("keys", "sk_live")).isEqualTo(204);
            assertThat(statuses(last, path, "X-Api-Key", "sk_live")).last().isEqualTo(429);

            List<String> ids = ids("keys");
            assertThat(ids).isNotEmpty().doesNotContain("sk_live");
            for (String id : ids) {
                assertThat(delete("keys", id)).isEqualTo(204);
            }
            assertThat(statuses(1, path, "X-Api-Key", "sk_live")).containsExactly(200);
        }
    }

    @Test
    void addresses_and_keys_of_the_application_are_named_as_they_are() throws Exception {
        var limiter = application.getBean(RateLimiters.class).get("search");
        assertThat(statuses(2, "/search")).containsExactly(200, 429);
        assertThat(limiter.tryAcquire("mine").allowed()).isTrue();

        assertThat(delete("search", "::ffff:127.0.0.1")).isEqualTo(204);
        assertThat(delete("search", "mine")).isEqualTo(204);

        assertThat(statuses(1, "/search")).containsExactly(200);
        assertThat(limiter.tryAcquire("mine").allowed()).isTrue();
    }

    @Test
    void a_key_that_nobody_has_is_no_mistake_and_a_rule_that_is_not_there_is() throws Exception {
        assertThat(delete("search", "nobody")).isEqualTo(204);
        assertThat(delete("pairs", "one")).isEqualTo(204);
        assertThat(delete("serch", "127.0.0.1")).isEqualTo(404);
        assertThat(send("DELETE", "/actuator/ratelimits/search", "").statusCode()).isEqualTo(400);
    }

    @Test
    void a_limit_changes_and_what_is_spent_stays_spent() throws Exception {
        assertThat(statuses(2, "/search")).containsExactly(200, 429);

        assertThat(post("search", "{\"requests\":3,\"window\":\"2h\"}")).isEqualTo(204);

        assertThat(statuses(3, "/search")).containsExactly(200, 200, 429);
        String shown = send("GET", "/actuator/ratelimits/search", "").body();
        assertThat(JsonPath.<String>read(shown, "$.limits[0].window")).isEqualTo("PT2H");
        assertThat(post("search", "{\"requests\":1,\"window\":\"1h\"}")).isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "search; {'requests':0,'window':'1h'}; requests",
                "search; {'requests':5,'window':'0s'}; window",
                "search; {'requests':5,'window':'1 h'}; length of time",
                "search; {'requests':'x','window':'1h'};",
                "search; {'window':'1h'};",
                "search; {'requests':5};",
                "keys; {'requests':5,'window':'1h'}; only one can be updated",
                "costly; {'requests':2,'window':'1h'}; costs 3 permits"
            })
    void a_limit_that_cannot_be_is_refused(String rule, String body, String problem)
            throws Exception {
        HttpResponse<String> response =
                send("POST", "/actuator/ratelimits/" + rule, body.replace('\'', '"'));

        assertThat(response.statusCode()).isEqualTo(400);
        if (problem != null) {
            assertThat(response.body()).contains(problem);
        }
    }

    @Test
    void a_rule_that_is_not_there_has_no_limit_to_change() throws Exception {
        assertThat(post("serch", "{\"requests\":5,\"window\":\"1h\"}")).isEqualTo(404);
    }

    @Test
    void nothing_can_be_changed_by_default() throws Exception {
        ConfigurableApplicationContext all = application;
        try (ConfigurableApplicationContext readOnly = application()) {
            application = readOnly;
            assertThat(statuses(2, "/search")).containsExactly(200, 429);
            assertThat(delete("search", "127.0.0.1")).isEqualTo(405);
            assertThat(post("search", "{\"requests\":9,\"window\":\"1h\"}")).isEqualTo(405);
            assertThat(statuses(1, "/search")).containsExactly(429);
        } finally {
            application = all;
        }
    }

    private static List<String> ids(String rule) throws Exception {
        String details = send("GET", "/actuator/ratelimits/" + rule, "").body();
        return JsonPath.read(details, "$.top[*].id");
    }

    private static int delete(String rule, String key) throws Exception {
        String encoded = URLEncoder.encode(key, StandardCharsets.UTF_8);
        return send("DELETE", "/actuator/ratelimits/" + rule + "?key=" + encoded, "").statusCode();
    }

    private static int post(String rule, String body) throws Exception {
        return send("POST", "/actuator/ratelimits/" + rule, body).statusCode();
    }

    private static List<Integer> statuses(int times, String target, String... header)
            throws Exception {
        Integer[] statuses = new Integer[times];
        for (int i = 0; i < times; i++) {
            statuses[i] = send("GET", target, "", header).statusCode();
        }
        return List.of(statuses);
    }

    private static HttpResponse<String> send(
            String method, String target, String body, String... header)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getProperty("local.server.port");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + target))
                        .method(
                                method,
                                body.isEmpty()
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofString(body))
                        .header("Content-Type", "application/json");
        if (header.length > 0) {
            request.headers(header);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }

        @Bean
        RateLimitKeyResolver tenantOf() {
            return request ->
                    request.getHeader("X-Tenant") == null
                            ? request.getParameter("tenant")
                            : request.getHeader("X-Tenant");
        }

        @GetMapping({"/search", "/tenants", "/keys", "/pairs"})
        String any() {
            return "ok";
        }
    }
}
