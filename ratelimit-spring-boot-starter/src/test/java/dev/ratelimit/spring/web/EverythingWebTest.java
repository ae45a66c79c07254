package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * A rule for all paths, both styles of header fields, and an application that is not at the root.
 */
@SpringBootTest(
        classes = EverythingWebTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "spring.config.location=classpath:web-everything.yml")
class EverythingWebTest {

    private static final String LEGACY =
            "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset";
    private static final String EXPOSE = "Access-Control-Expose-Headers";

    @Autowired ManualTimeSource time;
    @Autowired List<HandlerMapping> mappings;
    private RawHttp http;

    @Autowired
    void port(@LocalServerPort int port) {
        http = new RawHttp(port);
    }

    @BeforeEach
    void aYearLater() {
        Instant now = Instant.ofEpochSecond(0, time.epochNanos());
        time.set(now.plus(365, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS));
    }

    @Test
    void each_limit_of_each_rule_is_an_item_of_one_structured_field() {
        Response response = http.get("/shop/svc/search");

        assertThat(response.header("RateLimit-Policy"))
                .isEqualTo("\"everything\";q=5;w=60, \"search\";q=200;w=2");
        assertThat(response.header("RateLimit"))
                .isEqualTo("\"everything\";r=4;t=60, \"search\";r=199;t=1");
        assertThat(response.limit()).isEqualTo("5");
        for (String field : List.of("RateLimit-Policy", "RateLimit")) {
            assertThat(Parser.parseList(response.header(field)).serialize())
                    .isEqualTo(response.header(field));
        }
    }

    @Test
    void limits_have_names_of_their_own_and_seconds_are_rounded_up() {
        Response response = http.get("/shop/svc/month");

        assertThat(response.header("RateLimit-Policy"))
                .isEqualTo(
                        "\"everything\";q=5;w=60, \"month\";q=3;w=2, \"month-2\";q=50;w=2592000,"
                                + " \"month-2-2\";q=4;w=3600");
        assertThat(response.header("RateLimit"))
                .isEqualTo(
                        "\"everything\";r=4;t=60, \"month\";r=2;t=2, \"month-2\";r=49;t=2592000,"
                                + " \"month-2-2\";r=3;t=3600");
    }

    @Test
    void annotations_without_a_name_are_called_default() {
        Response response = http.get("/shop/svc/unnamed");
        assertThat(response.header("RateLimit"))
                .isEqualTo(
                        "\"everything\";r=4;t=60, \"default\";r=2;t=60, \"default-2\";r=1;t=3600");
        http.get("/shop/svc/unnamed");
        assertThat(http.get("/shop/svc/unnamed").body()).contains("[\"default-2\"]");
    }

    @Test
    void a_refusal_shows_all_limits_and_violates_one() {
        Response refused = null;
        for (int i = 0; i < 4; i++) {
            refused = http.get("/shop/svc/month");
        }
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.body()).contains("[\"month\"]").contains("\"/shop/svc/month\"");
        assertThat(refused.header("RateLimit")).contains("\"month\";r=0;t=2");
        assertThat(refused.retryAfter()).isEqualTo("2");
    }

    @Test
    void scripts_of_other_origins_may_read_the_fields() {
        String origin = "Origin: https://good.example";
        Response allowed = http.get("/shop/svc/cors", origin);
        assertThat(allowed.header(EXPOSE))
                .isEqualTo("X-Mine, " + LEGACY + ", RateLimit-Policy, RateLimit");

        for (int i = 0; i < 4; i++) {
            http.get("/shop/svc/cors", origin);
        }
        Response refused = http.get("/shop/svc/cors", origin);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header(EXPOSE))
                .isEqualTo("X-Mine, " + LEGACY + ", RateLimit-Policy, RateLimit, Retry-After");
        assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://good.example");
    }

    @Test
    void nothing_is_exposed_where_there_is_no_other_origin() {
        assertThat(http.get("/shop/svc/cors").header(EXPOSE)).isNull();
    }

    @Test
    void a_path_matches_within_context_and_servlet_in_any_spelling() {
        for (String spelling :
                List.of(
                        "/shop/svc/search",
                        "/shop/svc/%73earch",
                        "/shop;a/svc/search",
                        "/shop/svc;a/search;b",
                        "/%73hop/svc/search")) {
            Response response = http.get(spelling);
            if (response.body().equals("ok")) {
                assertThat(response.header("RateLimit")).as(spelling).contains("\"search\"");
            }
        }
    }

    @Test
    void the_endpoints_of_actuator_are_never_limited() {
        for (int i = 0; i < 10; i++) {
            for (String path : List.of("", "/health", "/health/liveness", "/ratelimits")) {
                Response response = http.get("/shop/svc/actuator" + path);
                assertThat(response.status()).as(path).isEqualTo(200);
                assertThat(response.limit()).as(path).isNull();
            }
        }
        assertThat(http.get("/shop/svc/search").remaining()).isNotNull();
    }

    @Test
    void the_handlers_of_actuator_are_known_whatever_mapping_they_come_from() throws Exception {
        List<Object> handlers = new ArrayList<>();
        for (String path : List.of("/actuator", "/actuator/health", "/actuator/ratelimits")) {
            MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
            ServletRequestPathUtils.parseAndCache(request);
            for (HandlerMapping mapping : mappings) {
                HandlerExecutionChain chain = mapping.getHandler(request);
                if (chain != null && chain.getHandler() instanceof HandlerMethod handler) {
                    handlers.add(handler);
                }
            }
        }
        assertThat(handlers).hasSize(3).allMatch(ActuatorEndpoints::isEndpoint);
    }

    @Test
    void no_forwarded_header_makes_another_client() {
        for (int i = 0; i < 5; i++) {
            assertThat(http.get("/shop/svc/search", "X-Forwarded-For: 198.51.100." + i).status())
                    .isEqualTo(200);
        }
        assertThat(http.get("/shop/svc/search", "Forwarded: for=198.51.100.9").status())
                .isEqualTo(429);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Application.Api.class)
    static class Application {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }

        @RestController
        static class Api {

            @GetMapping({"/search", "/month"})
            String any() {
                return "ok";
            }

            @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
            @RateLimited(requests = 2, unit = TimeUnit.HOURS)
            @GetMapping("/unnamed")
            String unnamed() {
                return "ok";
            }

            @CrossOrigin(origins = "https://good.example", exposedHeaders = "X-Mine")
            @GetMapping("/cors")
            String cors() {
                return "ok";
            }
        }
    }
}
