package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimitKeyResolver;
import java.security.Principal;
import java.text.Normalizer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** Who is one client, and who is another. Each can send two requests. */
@ExtendWith(OutputCaptureExtension.class)
class IdentityWebTest {

    private static ConfigurableApplicationContext context;
    private static MockMvc mvc;

    @BeforeAll
    static void start() {
        SpringApplicationBuilder application =
                new SpringApplicationBuilder(Application.class)
                        .properties(
                                "spring.config.location=optional:classpath:none.yml",
                                "server.port=0",
                                "logging.level.dev.ratelimit=trace",
                                "management.endpoints.web.exposure.include=*",
                                "ratelimit.client-ip.ipv6-prefix=48");
        rule(application, "by-ip", "ip");
        rule(application, "by-user", "user");
        rule(application, "by-header", "header:X-Api-Key");
        rule(application, "by-cookie", "cookie:key");
        rule(application, "by-query", "query:key");
        rule(application, "by-account", "bean:account");
        rule(application, "by-two", "header:A,header:B");
        rule(application, "by-ip-and-header", "ip,header:A");
        rule(application, "{id}/items/**", "path:id");
        context = application.run();
        mvc = MockMvcBuilders.webAppContextSetup((WebApplicationContext) context).build();
    }

    private static void rule(SpringApplicationBuilder application, String name, String key) {
        String rule = "ratelimit.rules." + name.replaceAll("[{}/*]", "");
        application.properties(
                rule + ".paths=/" + name,
                rule + ".key=" + key,
                rule + ".requests=2",
                rule + ".window=1d");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void aDayLater() {
        ManualTimeSource time = context.getBean(ManualTimeSource.class);
        time.set(Instant.ofEpochSecond(0, time.epochNanos()).plus(1, ChronoUnit.DAYS));
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1::1, 2001:db8:1:ffff::2, 2001:db8:2::1",
        "2001:DB8:1::1, '[2001:0db8:0001::2]:443', 2001:db8:2::1",
        "fe80::1%eth0, fe80::2%eth1, fe80:0:1::1",
        "203.0.113.9, ::ffff:203.0.113.9, 203.0.113.10",
        "203.0.113.9:1, 203.0.113.9:2, 203.0.113.10:1",
        // What is no address is unknown, and no client of its own.
        "garbage, unix:, 203.0.113.10",
        "010.0.0.1, 10.0.0.01, 10.0.0.1",
        "0x0a.0.0.1, 'unknown', 10.0.0.1"
    })
    void oneAddressIsOneClientInAllSpellingsAndOneNetworkIsToo(
            String first, String second, String other) throws Exception {
        assertThat(remaining(from("/by-ip", first))).isEqualTo(1);
        assertThat(remaining(from("/by-ip", second))).isEqualTo(0);
        assertThat(from("/by-ip", second).getStatus()).isEqualTo(429);
        assertThat(remaining(from("/by-ip", other))).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"by-ip", "by-user", "by-header", "by-account", "by-two"})
    void requestsOfNobodyAreAnsweredAndCountedTogether(String rule) throws Exception {
        assertThat(from("/" + rule, null).getStatus()).isEqualTo(200);
        assertThat(from("/" + rule, "").getStatus()).isEqualTo(200);
        assertThat(from("/" + rule, "nowhere").getStatus()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "global", "ip:203.0.113.9", "203.0.113.9", "null", "|"})
    void aUserWithTheNameOfSomethingElseIsAUser(String name) throws Exception {
        assertThat(remaining(from("/by-user", "203.0.113.9"))).isEqualTo(1);
        assertThat(remaining(from("/by-user", null))).isEqualTo(1);
        assertThat(remaining(user("/by-user", () -> name))).isEqualTo(1);
        assertThat(remaining(user("/by-user", () -> name))).isEqualTo(0);
    }

    @Test
    void whoIsAnonymousOrHasNoNameIsNoUser() throws Exception {
        Principal anonymous =
                new AnonymousAuthenticationToken(
                        "key", "anonymousUser", AuthorityUtils.createAuthorityList("STRANGER"));

        assertThat(remaining(user("/by-user", anonymous))).isEqualTo(1);
        assertThat(remaining(user("/by-user", () -> " "))).isEqualTo(0);
        assertThat(user("/by-user", null).getStatus()).isEqualTo(429);
        assertThat(remaining(user("/by-user", () -> "anonymousUser"))).isEqualTo(1);
    }

    @Test
    void aBeanDecidesWhichSpellingsAreOneAccount() throws Exception {
        assertThat(remaining(user("/by-account", () -> "Zo\u00EB@x.org"))).isEqualTo(1);
        assertThat(remaining(user("/by-account", () -> "zoe\u0308@X.org "))).isEqualTo(0);
        assertThat(user("/by-account", () -> "ZO\u00CB@x.org").getStatus()).isEqualTo(429);

        assertThat(remaining(user("/by-user", () -> "Ann"))).isEqualTo(1);
        assertThat(remaining(user("/by-user", () -> "ann"))).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "a bc ab c",
                "a:b c a b:c",
                "x|y z x y|z",
                "a,b c a b,c",
                "a/b c a b/c",
                "1:a b 1 a:b",
                "2001:db8::1 a 2001:db8: :1a",
                "same other other same"
            })
    void partsOfAKeyDoNotRunTogether(String a, String b, String otherA, String otherB)
            throws Exception {
        for (String rule : new String[] {"/by-two", "/by-ip-and-header"}) {
            boolean two = rule.equals("/by-two");
            send(MockMvcRequestBuilders.get(rule).header("A", a).header("B", b));
            MockHttpServletResponse response =
                    send(MockMvcRequestBuilders.get(rule).header("A", otherA).header("B", otherB));
            assertThat(remaining(response)).as(rule).isEqualTo(two || !a.equals(otherA) ? 1 : 0);
        }
    }

    @Test
    void aRuleCountsByTheVariableOfItsOwnPath() throws Exception {
        assertThat(remaining(get("/tenant/items/1"))).isEqualTo(1);
        assertThat(remaining(get("/tenant/items/2"))).isEqualTo(0);
        assertThat(get("/tenant/items/3").getStatus()).isEqualTo(429);
        assertThat(remaining(get("/other/items/1"))).isEqualTo(1);
    }

    @Test
    void nullAndItsNameAndNothingAreNotMixedUp() throws Exception {
        assertThat(remaining(get("/by-two"))).isEqualTo(1);
        assertThat(remaining(send(two("null", "null")))).isEqualTo(1);
        assertThat(remaining(send(two("", "null")))).isEqualTo(1);
        assertThat(remaining(send(two("null", "")))).isEqualTo(1);
        assertThat(remaining(send(two("", " ")))).isEqualTo(0);
    }

    @Test
    void longValuesAndThoseOfOtherAlphabetsAreClientsLikeOthers() throws Exception {
        String longOne = "x".repeat(7_000);
        assertThat(remaining(key(longOne + "1"))).isEqualTo(1);
        assertThat(remaining(key(longOne + "2"))).isEqualTo(1);
        assertThat(remaining(key("\u043A\u043B\u044E\u0447"))).isEqualTo(1);
        assertThat(remaining(key("key"))).isEqualTo(1);
        assertThat(remaining(key("KEY"))).isEqualTo(1);
        assertThat(remaining(key("\tkey  "))).isEqualTo(0);
        assertThat(remaining(user("/by-user", () -> longOne))).isEqualTo(1);
        assertThat(remaining(user("/by-user", () -> longOne))).isEqualTo(0);
    }

    @Test
    void aSecretIsSeenNowhere(CapturedOutput output) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        RawHttp http = new RawHttp(Integer.parseInt(port));
        StringBuilder seen = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            seen.append(http.get("/by-header", "X-Api-Key: sk_live_SECRET"));
            seen.append(http.get("/by-cookie", "Cookie: key=sk_live_SECRET"));
            seen.append(http.get("/by-query?key=sk_live_SECRET"));
            seen.append(http.get("/by-two", "A: sk_live_SECRET", "B: SECRET"));
        }
        assertThat(seen.toString().split("status=429")).hasSize(5);
        seen.append(http.get("/actuator/ratelimits"));
        for (String rule : new String[] {"by-header", "by-cookie", "by-query", "by-two"}) {
            RawHttp.Response details = http.get("/actuator/ratelimits/" + rule);
            assertThat(details.body()).contains("\"rejected\":1");
            seen.append(details);
        }
        RawHttp.Response meters = http.get("/actuator/prometheus");
        assertThat(meters.body()).contains("ratelimit_requests");
        seen.append(meters);

        assertThat(seen.toString()).doesNotContain("SECRET");
        assertThat(output).doesNotContain("SECRET");
    }

    private static MockHttpServletRequestBuilder two(String a, String b) {
        return MockMvcRequestBuilders.get("/by-two").header("A", a).header("B", b);
    }

    private static MockHttpServletResponse key(String key) throws Exception {
        return send(MockMvcRequestBuilders.get("/by-header").header("X-Api-Key", key));
    }

    private static MockHttpServletResponse user(String path, @Nullable Principal user)
            throws Exception {
        MockHttpServletRequestBuilder request = MockMvcRequestBuilders.get(path);
        return send(user == null ? request : request.principal(user));
    }

    private static MockHttpServletResponse get(String path) throws Exception {
        return send(MockMvcRequestBuilders.get(path));
    }

    private static MockHttpServletResponse from(String path, @Nullable String address)
            throws Exception {
        return send(
                MockMvcRequestBuilders.get(path)
                        .with(
                                request -> {
                                    request.setRemoteAddr(address);
                                    return request;
                                }));
    }

    private static MockHttpServletResponse send(MockHttpServletRequestBuilder request)
            throws Exception {
        return mvc.perform(request).andReturn().getResponse();
    }

    private static int remaining(MockHttpServletResponse response) {
        assertThat(response.getStatus()).isEqualTo(200);
        return Integer.parseInt(String.valueOf(response.getHeader("X-RateLimit-Remaining")));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @Bean
        ManualTimeSource time() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }

        /** As docs/configuration.md has it. */
        @Bean
        RateLimitKeyResolver account() {
            return request -> {
                Principal user = request.getUserPrincipal();
                return user == null
                        ? null
                        : Normalizer.normalize(user.getName(), Normalizer.Form.NFKC)
                                .toLowerCase(Locale.ROOT);
            };
        }

        @GetMapping({"/by-*", "/{tenant}/items/{id}"})
        String any() {
            return "ok";
        }
    }
}
