package dev.ratelimit.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimited;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Annotations in a web application, as its clients see them. */
@SpringBootTest(
        classes = AnnotatedApplicationTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class AnnotatedApplicationTest {

    @LocalServerPort private int port;

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private int statusOf(String path) throws IOException, InterruptedException {
        return get(path).statusCode();
    }

    @Test
    void each_annotated_route_has_its_own_limit_for_all_of_its_paths() throws Exception {
        for (int id = 1; id <= 3; id++) {
            assertThat(statusOf("/a/" + id)).isEqualTo(200);
        }
        HttpResponse<String> refused = get("/a/4");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().allValues("X-RateLimit-Limit")).containsExactly("3");
        assertThat(refused.body()).contains("\"default\"");
        assertThat(statusOf("/b/1")).isEqualTo(200);
    }

    @Test
    void a_method_of_a_service_refuses_the_request_that_leads_to_it() throws Exception {
        assertThat(statusOf("/convert")).isEqualTo(200);
        HttpResponse<String> last = get("/convert");
        assertThat(last.statusCode()).isEqualTo(200);
        assertThat(last.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
        HttpResponse<String> refused = get("/convert");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
        assertThat(Converter.CALLS).hasValue(2);
    }

    @Test
    void a_rule_that_charged_a_request_is_not_charged_again_by_what_it_calls() throws Exception {
        assertThat(statusOf("/shared")).isEqualTo(200);
        assertThat(statusOf("/shared")).isEqualTo(200);
        assertThat(statusOf("/shared")).isEqualTo(429);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Api.class, Converter.class})
    static class Application {
        @Bean
        TimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }
    }

    @RestController
    static final class Api {
        private final Converter converter;

        Api(Converter converter) {
            this.converter = converter;
        }

        @GetMapping("/a/{id}")
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        String a(@PathVariable("id") String id) {
            return id;
        }

        @GetMapping("/b/{id}")
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        String b(@PathVariable("id") String id) {
            return id;
        }

        @GetMapping("/convert")
        String convert() {
            return converter.convert();
        }

        @GetMapping("/shared")
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, name = "shared")
        String shared() {
            return converter.shared();
        }
    }

    @Service
    static class Converter {
        static final AtomicInteger CALLS = new AtomicInteger();

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        String convert() {
            return "converted " + CALLS.incrementAndGet();
        }

        @RateLimited("shared")
        String shared() {
            return "shared";
        }
    }
}
