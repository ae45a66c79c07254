package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A real server: each address can send two requests, and 127.0.0.1 may be a trusted proxy. */
@ExtendWith(OutputCaptureExtension.class)
class TrustedProxiesWebTest {

    private static final String TRUST = "ratelimit.client-ip.trusted-proxies=127.0.0.1,10.0.0.0/8";

    @ParameterizedTest
    @ValueSource(strings = {"none", "framework", "native"})
    void behindAProxyEachClientIsCountedWhateverItWritesItself(String strategy) {
        run(
                http -> {
                    List<Integer> one = new ArrayList<>();
                    List<Integer> other = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        String forged = "X-Forwarded-For: 6.6.6." + i + ", ";
                        one.add(http.get("/", forged + "203.0.113.9:5000" + i).status());
                        other.add(http.get("/", forged + "203.0.113.10, 10.0.0.2").status());
                    }
                    assertThat(one).containsExactly(200, 200, 429);
                    assertThat(other).containsExactly(200, 200, 429);
                },
                TRUST,
                "server.forward-headers-strategy=" + strategy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "framework"})
    void ofSeveralLinesTheLastIsNearest(String strategy) {
        run(
                http -> {
                    List<Integer> statuses = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        String forged = "Forwarded: for=6.6.6." + i;
                        String proxy = "Forwarded: for=\"[2001:db8::" + i + "]:80\";proto=https";
                        statuses.add(http.get("/", forged, proxy).status());
                    }
                    assertThat(statuses).containsExactly(200, 200, 429);
                },
                TRUST,
                "ratelimit.client-ip.header=Forwarded",
                "server.forward-headers-strategy=" + strategy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "framework"})
    void aPeerThatIsNoProxyIsCountedItself(String strategy) {
        run(
                http -> {
                    List<Integer> statuses = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        String forged = "X-Forwarded-For: 6.6.6." + i;
                        statuses.add(http.sendFrom("127.0.0.2", "GET", "/", forged).status());
                    }
                    assertThat(statuses).containsExactly(200, 200, 429);
                },
                TRUST,
                "server.forward-headers-strategy=" + strategy);
    }

    @Test
    void withTomcatsValveItsAnswerIsThePeerAndTheWalkGoesOnFromThere() {
        run(
                http -> {
                    // The valve trusts private networks, and stops at 203.0.113.9.
                    String cdn = "X-Forwarded-For: 6.6.6.6, 198.51.100.7, 203.0.113.9, 10.0.0.2";
                    assertThat(http.get("/", cdn).remaining()).isEqualTo("1");
                    String same = "X-Forwarded-For: 5.5.5.5, 198.51.100.7";
                    assertThat(http.get("/", same).remaining()).isEqualTo("0");
                    String untrusted = "X-Forwarded-For: 198.51.100.7, 203.0.114.1";
                    assertThat(http.get("/", untrusted).remaining()).isEqualTo("1");
                },
                "ratelimit.client-ip.trusted-proxies=203.0.113.0/24",
                "server.forward-headers-strategy=native");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "framework"})
    void aProxyThatNobodyTrustsIsLoggedOnce(String strategy, CapturedOutput output) {
        run(
                http -> {
                    assertThat(http.get("/unlimited", "X-Forwarded-For: 6.6.6.6").status())
                            .isEqualTo(200);
                    assertThat(output).doesNotContain("RL-FORWARDED-UNTRUSTED");
                    for (int i = 0; i < 3; i++) {
                        http.get("/", "X-Forwarded-For: 6.6.6." + i);
                    }
                    assertThat(output).containsOnlyOnce("RL-FORWARDED-UNTRUSTED: ");
                    assertThat(output).contains("127.0.0.1", "client-ip.trusted-proxies");
                },
                "server.forward-headers-strategy=" + strategy);
    }

    private static void run(Consumer<RawHttp> requests, String... properties) {
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(Application.class)
                        .properties(properties)
                        .properties(
                                "spring.config.location=optional:classpath:none.yml",
                                "server.port=0",
                                "ratelimit.rules.all.paths=/",
                                "ratelimit.rules.all.requests=2",
                                "ratelimit.rules.all.window=1d")
                        .run()) {
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            requests.accept(new RawHttp(Integer.parseInt(port)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @Bean
        ManualTimeSource time() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }

        @GetMapping({"/", "/unlimited"})
        String get() {
            return "ok";
        }
    }
}
