package dev.ratelimit.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.autoconfigure.RateLimitAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitMethodAutoConfiguration;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Outgoing calls by a declarative client that keep to what a partner allows, in real time. */
class WaitingHttpClientTest {

    private final Queue<Long> arrivals = new ConcurrentLinkedQueue<>();
    private HttpServer partner;

    @BeforeEach
    void start() throws IOException {
        partner = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        partner.createContext(
                "/",
                exchange -> {
                    arrivals.add(System.nanoTime());
                    byte[] body = exchange.getRequestURI().getPath().getBytes();
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        partner.start();
    }

    @AfterEach
    void stop() {
        partner.stop(0);
    }

    @Test
    void every_call_arrives_and_none_too_early() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(
                                RateLimitAutoConfiguration.class,
                                RateLimitMethodAutoConfiguration.class))
                .withBean(Partner.class, this::client)
                .run(
                        context -> {
                            Partner client = context.getBean(Partner.class);
                            long startNanos = System.nanoTime();
                            ExecutorService callers = Executors.newFixedThreadPool(8);
                            try {
                                List<Future<String>> answers = new ArrayList<>();
                                for (int i = 0; i < 8; i++) {
                                    int id = i;
                                    answers.add(callers.submit(() -> client.order(id)));
                                }
                                for (int i = 0; i < 8; i++) {
                                    assertThat(answers.get(i).get(20, TimeUnit.SECONDS))
                                            .isEqualTo("/orders/" + i);
                                }
                            } finally {
                                callers.shutdownNow();
                            }
                            // The first may go at once, and each 50 ms one more.
                            assertThat(arrivals).hasSize(8);
                            assertThat(Collections.max(arrivals) - startNanos)
                                    .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(7 * 50));
                            Rule rule = context.getBean(Rules.class).find("Partner.order");
                            assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(8);
                            assertThat(rule.counters().of(Outcome.REJECTED)).isZero();
                        });
    }

    private Partner client() {
        RestClient client = RestClient.create("http://localhost:" + partner.getAddress().getPort());
        return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
                .build()
                .createClient(Partner.class);
    }

    @HttpExchange("/orders")
    interface Partner {
        @GetExchange("/{id}")
        @RateLimited(
                requests = 1,
                window = 50,
                unit = TimeUnit.MILLISECONDS,
                strategy = LimitStrategy.TOKEN_BUCKET,
                maxWait = "10s")
        String order(@PathVariable("id") int id);
    }
}
