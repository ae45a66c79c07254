package dev.ratelimit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.RateLimiters;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.skyscreamer.jsonassert.JSONAssert;
import org.skyscreamer.jsonassert.JSONCompareMode;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What operators see of a real server; each test has a rule of its own. */
@ExtendWith(OutputCaptureExtension.class)
class RateLimitEndpointTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String SECRET = "sk_live_SECRET";

    private static ConfigurableApplicationContext application;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @BeforeAll
    static void start() {
        application =
                new SpringApplicationBuilder(Application.class)
                        .run(
                                "--server.port=0",
                                "--spring.main.banner-mode=off",
                                "--logging.level.dev.ratelimit=trace",
                                "--management.endpoints.web.exposure.include=ratelimits,prometheus",
                                "--ratelimit.in-memory.max-keys=40",
                                "--ratelimit.rules.search.paths=/search/**",
                                "--ratelimit.rules.search.methods=GET",
                                "--ratelimit.rules.search.strategy=token-bucket",
                                "--ratelimit.rules.search.requests=2",
                                "--ratelimit.rules.search.window=1s",
                                "--ratelimit.rules.search.burst=3",
                                "--ratelimit.rules.reports.paths=/reports",
                                "--ratelimit.rules.reports.key=header:X-Api-Key",
                                "--ratelimit.rules.reports.limits[0].requests=2",
                                "--ratelimit.rules.reports.limits[0].window=10s",
                                "--ratelimit.rules.reports.limits[1].requests=20",
                                "--ratelimit.rules.reports.limits[1].window=1d",
                                "--ratelimit.rules.reports.limits[1].strategy=sliding-log",
                                "--ratelimit.rules.partners.paths=/partners",
                                "--ratelimit.rules.partners.key=header:X-Api-Key,query:token",
                                "--ratelimit.rules.partners.requests=1",
                                "--ratelimit.rules.partners.window=1m",
                                "--ratelimit.rules.flooded.paths=/flooded",
                                "--ratelimit.rules.flooded.key=header:X-Api-Key",
                                "--ratelimit.rules.flooded.requests=5",
                                "--ratelimit.rules.flooded.window=1h",
                                "--ratelimit.rules.jobs.requests=5",
                                "--ratelimit.rules.jobs.window=1h",
                                "--ratelimit.rules.tenants.requests=1",
                                "--ratelimit.rules.tenants.window=1h");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void the_endpoint_shows_what_a_rule_is_and_what_it_has_decided() throws Exception {
        for (int i = 0; i < 5; i++) {
            get("/search");
        }

        String all = get("/actuator/ratelimits").body();

        assertThat(JsonPath.<String>read(all, "$.store")).isEqualTo("in-memory");
        String expected =
                """
                {"name":"search","source":"properties","paths":["/search/**"],"methods":["GET"],
                 "key":["ip"],"mode":"enforce",
                 "limits":[{"requests":2,"window":"PT1S","burst":3,"strategy":"token-bucket"}],
                 "allowed":3,"rejected":2,"buckets":1}\
                """;
        assertThat(all).contains(expected.replaceAll("\n *", ""));
        JSONAssert.assertEquals(
                "[" + expected + "]",
                JsonPath.parse(all).read("$.rules[?(@.name=='search')]").toString(),
                JSONCompareMode.STRICT);
    }

    @Test
    void rules_stand_by_name_with_all_limits_whatever_declared_them() throws Exception {
        String all = get("/actuator/ratelimits").body();

        assertThat(JsonPath.<List<String>>read(all, "$.rules[*].name"))
                .containsExactly(
                        "Application.quote",
                        "flooded",
                        "jobs",
                        "partners",
                        "reports",
                        "search",
                        "tenants");
        JSONAssert.assertEquals(
                """
                [{"source":"annotation","paths":[],"methods":[],"key":["ip"],"mode":"enforce",
                  "limits":[{"requests":3,"window":"PT1M","burst":3,"strategy":"fixed-window"}]}]
                """,
                JsonPath.parse(all).read("$.rules[?(@.name=='Application.quote')]").toString(),
                JSONCompareMode.STRICT_ORDER);
        JSONAssert.assertEquals(
                """
                [{"key":["header:X-Api-Key"],
                  "limits":[{"requests":2,"window":"PT10S","burst":2,"strategy":"fixed-window"},
                            {"requests":20,"window":"PT24H","burst":20,"strategy":"sliding-log"}]}]
                """,
                JsonPath.parse(all).read("$.rules[?(@.name=='reports')]").toString(),
                JSONCompareMode.STRICT_ORDER);
    }

    @Test
    void one_rule_is_shown_with_the_keys_that_were_rejected_most() throws Exception {
        RateLimiters limiters = application.getBean(RateLimiters.class);
        limiters.get("jobs").tryAcquire("nightly", 2);
        limiters.get("jobs").tryAcquire("nightly", 4);
        limiters.get("jobs").tryAcquire("hourly", 1);
        limiters.get("jobs").tryAcquire("hourly", 1);
        limiters.get("jobs").tryAcquire("once", 1);

        HttpResponse<String> response = get("/actuator/ratelimits/jobs");

        long reset = START.getEpochSecond() + TimeUnit.HOURS.toSeconds(1);
        JSONAssert.assertEquals(
                """
                {"name":"jobs","source":"properties","paths":[],"methods":[],"key":["ip"],
                 "mode":"enforce",
                 "limits":[{"requests":5,"window":"PT1H","burst":5,"strategy":"fixed-window"}],
                 "allowed":4,"rejected":1,"buckets":3,
                 "top":[{"id":"nightly","allowed":1,"rejected":1,"remaining":3,"reset":RESET},
                        {"id":"hourly","allowed":2,"rejected":0,"remaining":3,"reset":RESET},
                        {"id":"once","allowed":1,"rejected":0,"remaining":4,"reset":RESET}]}
                """
                        .replace("RESET", Long.toString(reset)),
                response.body(),
                JSONCompareMode.STRICT);
    }

    @Test
    void at_most_twenty_keys_are_shown() throws Exception {
        RateLimiters limiters = application.getBean(RateLimiters.class);
        for (int i = 0; i < 30; i++) {
            limiters.get("tenants").tryAcquire("tenant/" + i);
        }
        limiters.get("tenants").tryAcquire("tenant/29");

        String tenants = get("/actuator/ratelimits/tenants").body();

        assertThat(JsonPath.<List<String>>read(tenants, "$.top[*].id"))
                .hasSize(20)
                .startsWith("tenant/29");
        assertThat(JsonPath.<Integer>read(tenants, "$.buckets")).isEqualTo(30);
    }

    @Test
    void a_rule_that_is_not_there_is_not_found() throws Exception {
        assertThat(get("/actuator/ratelimits/nothing").statusCode()).isEqualTo(404);
    }

    @Test
    void nothing_can_be_changed_by_default() throws Exception {
        for (String method : List.of("POST", "DELETE", "PUT")) {
            HttpRequest request =
                    HttpRequest.newBuilder(uri("/actuator/ratelimits/jobs?key=x"))
                            .method(method, HttpRequest.BodyPublishers.ofString("{}"))
                            .header("Content-Type", "application/json")
                            .build();
            assertThat(CLIENT.send(request, BodyHandlers.ofString()).statusCode())
                    .as(method)
                    .isEqualTo(405);
        }
    }

    /** C71. */
    @Test
    void a_secret_is_seen_nowhere(CapturedOutput output) throws Exception {
        int status = 0;
        for (int i = 0; i < 3; i++) {
            status = get("/reports", "X-Api-Key", SECRET).statusCode();
        }
        assertThat(status).isEqualTo(429);
        HttpResponse<String> refused = get("/reports", "X-Api-Key", SECRET);
        get("/partners?token=" + SECRET, "X-Api-Key", SECRET);
        HttpResponse<String> refusedPartner = get("/partners?token=" + SECRET, "X-Api-Key", SECRET);
        assertThat(refusedPartner.statusCode()).isEqualTo(429);
        String prometheus = awaitBucketGauge("reports");

        assertThat(refused.body() + refused.headers().map()).doesNotContain(SECRET);
        assertThat(refusedPartner.body() + refusedPartner.headers().map()).doesNotContain(SECRET);
        assertThat(get("/actuator/ratelimits").body()).doesNotContain(SECRET);
        String reports = get("/actuator/ratelimits/reports").body();
        assertThat(reports).doesNotContain(SECRET);
        String partners = get("/actuator/ratelimits/partners").body();
        assertThat(partners).doesNotContain(SECRET);
        assertThat(prometheus).doesNotContain(SECRET);
        assertThat(output).doesNotContain(SECRET);
        // The same hash wherever the key is shown, so that it can be followed.
        String id = JsonPath.read(reports, "$.top[0].id");
        assertThat(prometheus)
                .contains("ratelimit_bucket_remaining{bucket=\"" + id + "\",rule=\"reports\"} 0.0");
    }

    /** C52 and C53. */
    @Test
    void a_flood_of_keys_shows_as_overflow_and_frees_nobody() throws Exception {
        for (int i = 0; i < 6; i++) {
            get("/flooded", "X-Api-Key", "first");
        }
        assertThat(prometheus()).contains("ratelimit_overflow_total{rule=\"flooded\"} 0.0");

        for (int i = 0; i < 80; i++) {
            get("/flooded", "X-Api-Key", "key " + i);
        }

        assertThat(get("/flooded", "X-Api-Key", "first").statusCode()).isEqualTo(429);
        assertThat(prometheus())
                .contains("ratelimit_overflow_total{rule=\"flooded\"} 41.0")
                .contains("ratelimit_buckets{rule=\"flooded\"} 40.0");
        assertThat(
                        JsonPath.<Integer>read(
                                get("/actuator/ratelimits/flooded").body(), "$.top[0].rejected"))
                .isPositive();
    }

    @Test
    void annotated_methods_are_counted_in_the_meters_too() throws Exception {
        get("/quote");

        assertThat(prometheus())
                .contains(
                        "ratelimit_requests_total{outcome=\"allowed\",rule=\"Application.quote\"}"
                                + " 1.0");
    }

    private static String prometheus() throws Exception {
        return get("/actuator/prometheus").body();
    }

    /** The gauges follow within a second or two. */
    private static String awaitBucketGauge(String rule) throws Exception {
        String found = "";
        for (int i = 0; i < 200; i++) {
            found = prometheus();
            if (found.lines().anyMatch(line -> isBucketGauge(line, rule))) {
                break;
            }
            Thread.sleep(50);
        }
        return found;
    }

    private static boolean isBucketGauge(String line, String rule) {
        return line.startsWith("ratelimit_bucket_remaining")
                && line.contains("rule=\"" + rule + "\"");
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static URI uri(String path) {
        return URI.create(
                "http://localhost:"
                        + application.getEnvironment().getProperty("local.server.port")
                        + path);
    }

    @RestController
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(START);
        }

        @GetMapping({"/search", "/reports", "/partners", "/flooded"})
        String answer() {
            return "answer";
        }

        @RateLimited(requests = 3, window = 1, unit = TimeUnit.MINUTES)
        @GetMapping("/quote")
        String quote() {
            return "quote";
        }
    }
}
