package dev.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.ManualTimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

/** Calls the running application as its clients do, on a clock that only the tests move. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SampleApplicationTest {

    @TestConfiguration
    static class Clock {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();

    @LocalServerPort private int port;

    @Autowired private ManualTimeSource timeSource;

    @BeforeEach
    void go_on_to_a_full_hour_by_which_every_bucket_is_full() {
        timeSource.set(now().truncatedTo(ChronoUnit.HOURS).plus(Duration.ofHours(1)));
    }

    private Instant now() {
        return Instant.ofEpochSecond(0, timeSource.epochNanos());
    }

    @Test
    void a_search_finds_currencies_by_code_and_by_name() throws Exception {
        HttpResponse<String> response = get("/api/search?q=Swiss");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(codes(response)).containsExactly("CHF");
        assertThat(codes(get("/api/search?q=sek"))).containsExactly("SEK");
        assertThat(codes(get("/api/search?q=krone"))).containsExactly("NOK");
        assertThat(codes(get("/api/search?q=nothing"))).isEmpty();
    }

    @Test
    void ten_searches_pass_and_then_one_every_six_seconds() throws Exception {
        assertThat(statuses(12, "/api/search?q=a")).containsExactlyElementsOf(passed(10, 2));

        timeSource.advance(Duration.ofMillis(5_999));
        assertThat(status("/api/search?q=a")).isEqualTo(429);
        timeSource.advance(Duration.ofMillis(1));
        assertThat(statuses(2, "/api/search?q=a")).containsExactly(200, 429);
    }

    @Test
    void a_response_shows_its_limit_in_both_header_styles() throws Exception {
        long inSixSeconds = now().getEpochSecond() + 6;

        HttpResponse<String> response = get("/api/search?q=a");

        assertThat(field(response, "X-RateLimit-Limit")).isEqualTo("10");
        assertThat(field(response, "X-RateLimit-Remaining")).isEqualTo("9");
        assertThat(field(response, "X-RateLimit-Reset")).isEqualTo(Long.toString(inSixSeconds));
        assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"search\";q=10;w=60");
        assertThat(field(response, "RateLimit")).isEqualTo("\"search\";r=9;t=6");
    }

    @Test
    void a_refusal_says_when_to_come_back() throws Exception {
        statuses(10, "/api/search?q=a");

        HttpResponse<String> response = get("/api/search?q=a");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(field(response, "Retry-After")).isEqualTo("6");
        assertThat(field(response, "Cache-Control")).isEqualTo("no-store");
        assertThat(field(response, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(field(response, "RateLimit")).isEqualTo("\"search\";r=0;t=6");
        assertThat(field(response, "Content-Type")).startsWith("application/problem+json");
        assertThat(JsonPath.<Integer>read(response.body(), "$.status")).isEqualTo(429);
        assertThat(JsonPath.<String>read(response.body(), "$.instance")).isEqualTo("/api/search");
        assertThat(JsonPath.<List<String>>read(response.body(), "$.violated-policies"))
                .containsExactly("search");
    }

    @Test
    void three_quotes_pass_in_each_minute() throws Exception {
        assertThat(statuses(4, "/api/quote")).containsExactlyElementsOf(passed(3, 1));

        timeSource.advance(Duration.ofSeconds(59));
        assertThat(status("/api/quote")).isEqualTo(429);
        timeSource.advance(Duration.ofSeconds(1));
        assertThat(statuses(4, "/api/quote")).containsExactlyElementsOf(passed(3, 1));
    }

    @Test
    void a_quote_is_the_rate_between_two_currencies() throws Exception {
        HttpResponse<String> response = get("/api/quote?from=EUR&to=USD");

        assertThat(JsonPath.<Double>read(response.body(), "$.rate")).isEqualTo(1.1);
        assertThat(status("/api/quote?from=EUR&to=XXX")).isEqualTo(404);
    }

    @Test
    void five_reports_pass_in_ten_seconds_and_twenty_in_a_minute() throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            statuses.addAll(statuses(6, "/api/reports", "X-Api-Key", "one"));
            timeSource.advance(Duration.ofSeconds(10));
        }

        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            expected.addAll(passed(5, 1));
        }
        expected.addAll(passed(0, 6));
        assertThat(statuses).containsExactlyElementsOf(expected);

        timeSource.advance(Duration.ofSeconds(10));
        assertThat(status("/api/reports", "X-Api-Key", "one")).isEqualTo(200);
    }

    @Test
    void each_api_key_has_reports_of_its_own() throws Exception {
        assertThat(statuses(6, "/api/reports", "X-Api-Key", "two"))
                .containsExactlyElementsOf(passed(5, 1));

        assertThat(status("/api/reports", "X-Api-Key", "three")).isEqualTo(200);
        assertThat(status("/api/reports")).isEqualTo(200);
        assertThat(status("/api/reports", "X-Api-Key", "two")).isEqualTo(429);
    }

    @Test
    void a_report_shows_both_of_its_limits() throws Exception {
        HttpResponse<String> response = get("/api/reports", "X-Api-Key", "four");

        assertThat(field(response, "X-RateLimit-Limit")).isEqualTo("5");
        assertThat(String.join(", ", response.headers().allValues("RateLimit-Policy")))
                .isEqualTo("\"reports\";q=5;w=10, \"reports-2\";q=20;w=60");
        assertThat(String.join(", ", response.headers().allValues("RateLimit")))
                .isEqualTo("\"reports\";r=4;t=10, \"reports-2\";r=19;t=60");
    }

    @Test
    void five_conversions_pass_in_a_minute_through_the_service() throws Exception {
        assertThat(statuses(6, "/api/convert")).containsExactlyElementsOf(passed(5, 1));

        HttpResponse<String> response = get("/api/convert");
        assertThat(field(response, "Retry-After")).isEqualTo("60");
        assertThat(field(response, "X-RateLimit-Limit")).isEqualTo("5");
    }

    @Test
    void a_conversion_is_rounded_to_two_decimals() throws Exception {
        HttpResponse<String> response = get("/api/convert?amount=100&from=GBP&to=USD");

        assertThat(JsonPath.<Double>read(response.body(), "$.result")).isEqualTo(129.41);
    }

    @Test
    void the_endpoint_shows_each_rule_and_what_it_counted() throws Exception {
        HttpResponse<String> before = get("/actuator/ratelimits");
        statuses(12, "/api/search?q=a");
        HttpResponse<String> after = get("/actuator/ratelimits");

        assertThat(after.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<String>read(after.body(), "$.store")).isEqualTo("in-memory");
        assertThat(JsonPath.<List<String>>read(after.body(), "$.rules[*].name"))
                .containsExactlyInAnyOrder("search", "quote", "reports", "convert", "login");
        assertThat(rule(after, "search", "source")).isEqualTo("properties");
        assertThat(rule(after, "quote", "source")).isEqualTo("annotation");
        assertThat(count(after, "search", "allowed") - count(before, "search", "allowed"))
                .isEqualTo(10);
        assertThat(count(after, "search", "rejected") - count(before, "search", "rejected"))
                .isEqualTo(2);
        assertThat(count(after, "quote", "allowed")).isEqualTo(count(before, "quote", "allowed"));
    }

    @Test
    void an_api_key_is_nowhere_to_be_seen() throws Exception {
        get("/api/reports", "X-Api-Key", "a-secret-of-a-client");

        assertThat(get("/actuator/ratelimits/reports").body())
                .contains("\"top\"")
                .doesNotContain("a-secret-of-a-client");
        assertThat(get("/actuator/prometheus").body()).doesNotContain("a-secret-of-a-client");
    }

    @Test
    void prometheus_sees_the_requests_of_each_rule() throws Exception {
        double allowed = sample("ratelimit_requests_total", "quote", "allowed");
        double rejected = sample("ratelimit_requests_total", "quote", "rejected");

        statuses(5, "/api/quote");

        assertThat(sample("ratelimit_requests_total", "quote", "allowed") - allowed).isEqualTo(3);
        assertThat(sample("ratelimit_requests_total", "quote", "rejected") - rejected).isEqualTo(2);
        assertThat(get("/actuator/prometheus").body()).contains("ratelimit_buckets{");
    }

    private static List<Integer> passed(int allowed, int rejected) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < allowed + rejected; i++) {
            statuses.add(i < allowed ? 200 : 429);
        }
        return statuses;
    }

    private List<Integer> statuses(int count, String path, String... headers) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(status(path, headers));
        }
        return statuses;
    }

    private int status(String path, String... headers) throws Exception {
        return get(path, headers).statusCode();
    }

    private HttpResponse<String> get(String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static String field(HttpResponse<String> response, String name) {
        assertThat(response.headers().allValues(name)).as(name).hasSize(1);
        return response.headers().allValues(name).get(0);
    }

    private static List<String> codes(HttpResponse<String> response) {
        return JsonPath.read(response.body(), "$[*].code");
    }

    private static Object rule(HttpResponse<String> response, String rule, String field) {
        List<Object> values =
                JsonPath.read(
                        response.body(), "$.rules[?(@.name=='%s')].%s".formatted(rule, field));
        assertThat(values).as("%s of %s", field, rule).hasSize(1);
        return values.get(0);
    }

    private static long count(HttpResponse<String> response, String rule, String field) {
        return ((Number) rule(response, rule, field)).longValue();
    }

    /** The value of a meter as Prometheus would scrape it. */
    private double sample(String meter, String rule, String outcome) throws Exception {
        List<Double> values =
                get("/actuator/prometheus")
                        .body()
                        .lines()
                        .filter(line -> line.startsWith(meter + "{"))
                        .filter(line -> line.contains("rule=\"" + rule + "\""))
                        .filter(line -> line.contains("outcome=\"" + outcome + "\""))
                        .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                        .toList();
        assertThat(values).as("%s of %s, %s", meter, rule, outcome).hasSize(1);
        return values.get(0);
    }
}
