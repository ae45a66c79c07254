package dev.ratelimit.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.security.test.web.servlet.request.SecurityMockMvcRequestPostProcessors.csrf;
import static org.springframework.security.test.web.servlet.request.SecurityMockMvcRequestPostProcessors.user;
import static org.springframework.security.test.web.servlet.setup.SecurityMockMvcConfigurers.springSecurity;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rules;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** Runs docs/recipes.md: its configuration as it stands there, its code as it stands here too. */
class RecipesTest {

    private static String document;

    private ConfigurableApplicationContext application;
    private MockMvcTester mvc;
    private ManualTimeSource timeSource;

    @BeforeAll
    static void read() throws IOException {
        document = Files.readString(Path.of("../docs/recipes.md"));
    }

    @AfterEach
    void stop() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void a_login_that_cannot_be_guessed() {
        start("A login that cannot be guessed", Login.class);

        for (int i = 0; i < 5; i++) {
            assertThat(login("192.0.2.1", "ann", "guess")).isEqualTo(401);
        }
        assertThat(login("192.0.2.1", "ann", "secret")).isEqualTo(429);
        assertThat(login("192.0.2.2", "ann", "secret")).isEqualTo(302);

        for (int i = 0; i < 15; i++) {
            assertThat(login("192.0.2." + (10 + i), "ann", "guess")).isEqualTo(401);
        }
        assertThat(login("192.0.2.99", "ann", "guess")).isEqualTo(429);
        assertThat(login("192.0.2.99", "bob", "secret")).isEqualTo(302);
    }

    private int login(String address, String name, String password) {
        return mvc.post()
                .uri("/login")
                .with(from(address))
                .with(csrf())
                .param("username", name)
                .param("password", password)
                .exchange()
                .getResponse()
                .getStatus();
    }

    @Test
    void by_user_and_by_address_together() {
        start("By user and by address together", Open.class);

        for (int i = 0; i < 100; i++) {
            assertThat(status("/api/x", "192.0.2.1", "ann")).isEqualTo(200);
        }
        assertThat(status("/api/x", "192.0.2.2", "ann")).isEqualTo(429);
        for (int user = 0; user < 9; user++) {
            for (int i = 0; i < 100; i++) {
                assertThat(status("/api/x", "192.0.2.1", "user" + user)).isEqualTo(200);
            }
        }
        assertThat(status("/api/x", "192.0.2.1", "bob")).isEqualTo(429);
        assertThat(status("/api/x", "192.0.2.2", "bob")).isEqualTo(200);
    }

    @Test
    void plans() {
        start("Plans", Open.class, Plans.class);

        for (int i = 0; i < 1000; i++) {
            assertThat(gold("/api/x")).isEqualTo(200);
        }
        assertThat(gold("/api/x")).isEqualTo(429);
        for (int i = 0; i < 100; i++) {
            assertThat(status("/api/x", "192.0.2.1", "bob")).isEqualTo(200);
        }
        assertThat(status("/api/x", "192.0.2.1", "bob")).isEqualTo(429);
    }

    private int gold(String path) {
        return mvc.get()
                .uri(path)
                .with(user("ann").roles("GOLD"))
                .exchange()
                .getResponse()
                .getStatus();
    }

    @Test
    void behind_a_proxy() {
        start("Behind a proxy", Open.class);

        for (int i = 0; i < 100; i++) {
            assertThat(forwarded("10.1.2.3", i + ".0.0.1, 203.0.113.9, fd00::7")).isEqualTo(200);
        }
        assertThat(forwarded("10.1.2.3", "1.2.3.4, 203.0.113.9")).isEqualTo(429);
        assertThat(forwarded("10.1.2.3", "203.0.113.10")).isEqualTo(200);
        assertThat(forwarded("203.0.113.9", "198.51.100.1")).isEqualTo(429);
    }

    private int forwarded(String peer, String header) {
        return mvc.get()
                .uri("/api/x")
                .with(from(peer))
                .header("X-Forwarded-For", header)
                .exchange()
                .getResponse()
                .getStatus();
    }

    @Test
    void one_endpoint_different_costs() {
        start("", Open.class, Exports.class);

        assertThat(export(98_000)).isEqualTo(200);
        assertThat(export(1_000)).isEqualTo(429);
        assertThat(export(10)).isEqualTo(200);
        assertThat(export(10)).isEqualTo(429);
    }

    private int export(int rows) {
        return mvc.post()
                .uri("/api/export")
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"rows\":" + rows + "}")
                .exchange()
                .getResponse()
                .getStatus();
    }

    @Test
    void try_a_limit_before_it_refuses_anybody() {
        start("Try a limit before it refuses anybody", Open.class);

        for (int i = 0; i < 103; i++) {
            assertThat(mvc.get().uri("/search")).hasStatusOk();
        }

        var search = application.getBean(Rules.class).find("search");
        assertThat(search.counters().of(Outcome.SHADOW_REJECTED)).isEqualTo(3);
        assertThat(search.counters().of(Outcome.REJECTED)).isZero();
    }

    @Test
    void test_your_own_application() {
        start("ratelimit.rules.search: { paths: /search, requests: 100, window: 1m }", Open.class);

        for (int i = 0; i < 100; i++) {
            assertThat(mvc.get().uri("/search")).hasStatusOk();
        }
        assertThat(mvc.get().uri("/search")).hasStatus(429);

        timeSource.advance(Duration.ofMinutes(1));
        assertThat(mvc.get().uri("/search")).hasStatusOk();
    }

    @Test
    void the_code_of_the_document_is_the_code_that_is_run() throws IOException {
        String source =
                words(
                        Files.readString(
                                Path.of(
                                        "src/test/java/dev/ratelimit/spring/docs/RecipesTest.java")));

        List<String> blocks = blocks(document, "java");

        assertThat(blocks).hasSize(6);
        assertThat(blocks).allSatisfy(block -> assertThat(source).contains(words(block)));
        assertThat(blocks(document, "yaml")).hasSize(5);
    }

    private static String words(String code) {
        return code.replaceAll("\\s+", "");
    }

    private static List<String> blocks(String text, String language) {
        return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                .matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    /** Starts an application with the configuration that stands under a heading, or is given. */
    private void start(String headingOrYaml, Class<?>... sources) {
        int heading = document.indexOf("## " + headingOrYaml + "\n");
        String yaml =
                heading < 0 ? headingOrYaml : blocks(document.substring(heading), "yaml").get(0);
        application =
                new SpringApplicationBuilder(sources)
                        .sources(Clock.class)
                        .initializers(
                                context ->
                                        yaml(yaml)
                                                .forEach(
                                                        context.getEnvironment()
                                                                        .getPropertySources()
                                                                ::addFirst))
                        .run(
                                "--server.port=0",
                                "--spring.main.banner-mode=off",
                                "--test.security=true");
        mvc =
                MockMvcTester.from(
                        (WebApplicationContext) application,
                        builder -> builder.addFilters(filters()).apply(springSecurity()).build());
        timeSource = application.getBean(ManualTimeSource.class);
    }

    /** In the order in which a server has them; that of Spring Security comes after these. */
    private Filter[] filters() {
        return new Filter[] {
            application.getBean("rateLimitSettlementFilter", Filter.class),
            application.getBean("rateLimitFilter", Filter.class)
        };
    }

    private static List<PropertySource<?>> yaml(String text) {
        try {
            return new YamlPropertySourceLoader()
                    .load("recipe", new ByteArrayResource(text.getBytes()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private int status(String path, String address, String name) {
        return mvc.get()
                .uri(path)
                .with(from(address))
                .with(user(name))
                .exchange()
                .getResponse()
                .getStatus();
    }

    private static RequestPostProcessor from(String address) {
        return request -> {
            request.setRemoteAddr(address);
            return request;
        };
    }

    @TestConfiguration
    static class Clock {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @RestController
    static class Login {

        @Bean
        RateLimitKeyResolver loginName() {
            return request -> request.getParameter("username");
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(
                            form ->
                                    form.failureHandler(
                                            (request, response, failure) ->
                                                    response.setStatus(401)))
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ann").password("{noop}secret").roles("USER").build(),
                    User.withUsername("bob").password("{noop}secret").roles("USER").build());
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @RestController
    @Import(OpenToAll.class)
    static class Open {

        @GetMapping({"/api/x", "/search"})
        String any() {
            return "ok";
        }
    }

    static class OpenToAll {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    static class Plans {

        @Bean
        RateLimitKeyResolver planOf() {
            return request -> request.isUserInRole("GOLD") ? "gold" : null;
        }
    }

    /** What is to be exported. */
    public record Order(int rows) {}

    @RestController
    static class Exports {

        @PostMapping("/api/export")
        @RateLimited(
                name = "export",
                requests = 100,
                unit = TimeUnit.HOURS,
                permits = "#order.rows / 1000 + 1")
        String export(@RequestBody Order order) {
            return "exported";
        }
    }
}
