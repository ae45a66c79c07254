package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rules;
import feign.Feign;
import feign.RequestLine;
import feign.Retryer;
import feign.codec.ErrorDecoder;
import java.io.IOException;
import java.util.List;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Clients that people have, at their defaults: they wait as they are told, and then they are
 * admitted. How long they wait is theirs to decide, so time really passes here.
 */
@SpringBootTest(
        classes = RealClientsWebTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.config.location=optional:classpath:none.yml",
            "ratelimit.rules.handler.paths=/handler/**",
            "ratelimit.rules.handler.strategy=token-bucket",
            "ratelimit.rules.handler.requests=1",
            "ratelimit.rules.handler.window=1s",
            "ratelimit.rules.filter.paths=/filter/**",
            "ratelimit.rules.filter.phase=filter",
            "ratelimit.rules.filter.strategy=token-bucket",
            "ratelimit.rules.filter.requests=1",
            "ratelimit.rules.filter.window=1s"
        })
class RealClientsWebTest {

    @Autowired Rules rules;
    @LocalServerPort int port;

    @ParameterizedTest
    @ValueSource(strings = {"/handler/apache", "/filter/apache"})
    void apache_http_client_waits_and_succeeds(String path) throws IOException {
        try (CloseableHttpClient client = HttpClients.createDefault()) {
            HttpGet get = new HttpGet("http://localhost:" + port + path);
            for (int i = 0; i < 2; i++) {
                assertThat(client.execute(get, HttpResponse::getCode)).isEqualTo(200);
            }
            assertThat(refusals(path)).isPositive();
        }
    }

    interface Api {

        @RequestLine("GET /feign")
        String get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/handler", "/filter"})
    void feign_waits_and_succeeds(String path) {
        Api api =
                Feign.builder()
                        .retryer(new Retryer.Default())
                        .errorDecoder(new ErrorDecoder.Default())
                        .target(Api.class, "http://localhost:" + port + path);
        assertThat(List.of(api.get(), api.get())).containsOnly("ok");
        assertThat(refusals(path)).isPositive();
    }

    private long refusals(String path) {
        return rules.find(path.split("/")[1]).counters().of(Outcome.REJECTED);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Application.Pages.class)
    static class Application {

        @RestController
        static class Pages {

            @GetMapping({"/handler/*", "/filter/*"})
            String page() {
                return "ok";
            }
        }
    }
}
