package dev.ratelimit.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rules;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import reactor.core.publisher.Mono;

/** Handler methods that are decided by the advice, as clients see them. */
@SpringBootTest(
        classes = AdvisedHandlersTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "ratelimit.headers.styles=legacy,draft-11",
            "ratelimit.rules.search.paths=/tenants/*/search",
            "ratelimit.rules.search.requests=100",
            "ratelimit.rules.search.window=1h"
        })
class AdvisedHandlersTest {

    @LocalServerPort private int port;
    @Autowired private Rules rules;
    @Autowired private Orders orders;
    @Autowired private Plain plain;

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
                BodyHandlers.ofString());
    }

    private int post(String path, String body) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    void only_a_controller_whose_arguments_count_has_a_proxy() {
        assertThat(AopUtils.isCglibProxy(orders)).isTrue();
        assertThat(AopUtils.isAopProxy(plain)).isFalse();
    }

    @Test
    void each_value_of_a_path_variable_is_counted_by_itself() throws Exception {
        assertThat(get("/orders/7").statusCode()).isEqualTo(200);
        HttpResponse<String> last = get("/orders/7");
        assertThat(last.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
        HttpResponse<String> refused = get("/orders/7");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
        assertThat(refused.headers().allValues("RateLimit"))
                .containsExactly("\"default\";r=0;t=60");
        assertThat(refused.body()).contains("quota-exceeded");
        assertThat(get("/orders/8").statusCode()).isEqualTo(200);
    }

    @Test
    void the_body_of_a_request_says_who_is_counted_and_what_it_costs() throws Exception {
        assertThat(post("/orders", "{\"customer\":\"ann\",\"items\":4}")).isEqualTo(200);
        assertThat(post("/orders", "{\"customer\":\"ann\",\"items\":2}")).isEqualTo(429);
        assertThat(post("/orders", "{\"customer\":\"bob\",\"items\":2}")).isEqualTo(200);
        // Without a customer, the client's address is counted.
        assertThat(post("/orders", "{\"items\":5}")).isEqualTo(200);
        assertThat(post("/orders", "{\"items\":5}")).isEqualTo(429);
        // What is no order does not get so far.
        assertThat(post("/orders", "no order")).isEqualTo(400);
    }

    @Test
    void a_refusal_by_one_annotation_spends_nothing_of_another() throws Exception {
        assertThat(get("/both/1").statusCode()).isEqualTo(200);
        for (int i = 0; i < 5; i++) {
            assertThat(get("/both/1").statusCode()).isEqualTo(429);
        }
        assertThat(get("/both/2").statusCode()).isEqualTo(200);
        assertThat(rules.find("Orders.both").counters().of(Outcome.ALLOWED)).isEqualTo(2);
    }

    @Test
    void a_fallback_answers_instead_of_429() throws Exception {
        assertThat(get("/price?of=tea").body()).isEqualTo("fresh price of tea");
        HttpResponse<String> fallback = get("/price?of=tea");
        assertThat(fallback.statusCode()).isEqualTo(200);
        assertThat(fallback.body()).isEqualTo("old price of tea, by Orders.price");
        assertThat(fallback.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void path_rules_are_decided_before_as_ever() throws Exception {
        assertThat(get("/tenants/a/search").statusCode()).isEqualTo(200);
        HttpResponse<String> other = get("/tenants/a/search");
        assertThat(other.headers().firstValue("RateLimit").orElseThrow())
                .isEqualTo("\"search\";r=98;t=3600, \"default\";r=0;t=60");
        assertThat(get("/tenants/a/search").statusCode()).isEqualTo(429);
        assertThat(rules.find("search").counters().of(Outcome.ALLOWED)).isEqualTo(3);
    }

    @Test
    void an_annotated_controller_counts_its_handler_methods_and_no_others() throws Exception {
        assertThat(get("/of/a/fail").statusCode()).isEqualTo(418);
        assertThat(get("/of/a").statusCode()).isEqualTo(200);
        assertThat(get("/of/a").statusCode()).isEqualTo(429);
        assertThat(get("/of/b").statusCode()).isEqualTo(200);
    }

    @Test
    void a_controller_that_has_its_mappings_from_an_interface_is_counted_by_arguments()
            throws Exception {
        assertThat(get("/exchange?name=a").statusCode()).isEqualTo(200);
        assertThat(get("/exchange?name=a").statusCode()).isEqualTo(429);
        assertThat(get("/exchange?name=b").statusCode()).isEqualTo(200);
    }

    @Test
    void a_reactive_result_is_refused_when_the_response_is_written() throws Exception {
        assertThat(get("/reactive/a").body()).isEqualTo("a");
        HttpResponse<String> refused = get("/reactive/a");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
        assertThat(get("/reactive/b").body()).isEqualTo("b");
        assertThat(Orders.REACTIVE_CALLS).hasValue(2);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Orders.class, Plain.class, Typed.class, Exchange.class})
    static class Application {
        @Bean
        TimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }
    }

    record Order(String customer, int items) {}

    @RestController
    static class Orders {
        static final AtomicInteger REACTIVE_CALLS = new AtomicInteger();

        @GetMapping("/orders/{id}")
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#id")
        String order(@PathVariable("id") long id) {
            return "order " + id;
        }

        @PostMapping("/orders")
        @RateLimited(
                requests = 5,
                unit = TimeUnit.MINUTES,
                key = "#order.customer",
                permits = "#order.items")
        String place(@RequestBody Order order) {
            return "placed";
        }

        @GetMapping("/both/{id}")
        @RateLimited(requests = 3, unit = TimeUnit.HOURS)
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, key = "#id")
        String both(@PathVariable("id") long id) {
            return "both";
        }

        @GetMapping("/price")
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "oldPrice")
        public String price(@RequestParam("of") String of) {
            return "fresh price of " + of;
        }

        private String oldPrice(String of, RateLimitExceededException e) {
            return "old price of " + of + ", by " + e.ruleName();
        }

        @GetMapping("/tenants/{tenant}/search")
        @RateLimited(
                requests = 2,
                unit = TimeUnit.MINUTES,
                key = {"#tenant", "ip"})
        public String search(@PathVariable("tenant") String tenant) {
            return "found";
        }

        @GetMapping("/reactive/{id}")
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, key = "#id")
        public Mono<String> reactive(@PathVariable("id") String id) {
            REACTIVE_CALLS.incrementAndGet();
            return Mono.just(id);
        }
    }

    @RestController
    static final class Plain {
        @GetMapping("/plain")
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "query:id")
        String plain() {
            return "plain";
        }
    }

    @RestController
    @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#tenant")
    static class Typed {
        @GetMapping("/of/{tenant}")
        public String get(@PathVariable("tenant") String tenant) {
            return tenant;
        }

        @GetMapping("/of/{tenant}/fail")
        public String fail(@PathVariable("tenant") String tenant) {
            throw new IllegalStateException("on purpose");
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
        public String failed(IllegalStateException e) {
            return "failed";
        }
    }

    interface ExchangeApi {
        @GetExchange("/exchange")
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, key = "#name")
        String exchange(@RequestParam("name") String name);
    }

    @RestController
    static class Exchange implements ExchangeApi {
        @Override
        public String exchange(String renamed) {
            return renamed;
        }
    }
}
