package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.web.RawHttp.Response;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** Applications with several servlets, and with Actuator in unusual places. */
class ServletsWebTest {

    @ParameterizedTest
    @ValueSource(strings = {"filter", "handler"})
    void the_endpoints_of_actuator_are_free_wherever_they_are(String phase) {
        withPort(
                (http, management) -> {
                    assertThat(statuses(http, "/ops/alive")).containsOnly(200);
                    assertThat(http.get("/ops/alive").limit()).isNull();
                    assertThat(statuses(http, "/livez")).containsOnly(200);
                    assertThat(http.get("/actuator/health").limit()).isEqualTo("2");
                    assertThat(statuses(http, "/page")).containsExactly(200, 429, 429, 429);
                },
                "--ratelimit.rules.all.paths=/**",
                "--ratelimit.rules.all.phase=" + phase,
                "--management.endpoints.web.base-path=/ops",
                "--management.endpoints.web.path-mapping.health=alive",
                "--management.endpoint.health.probes.enabled=true",
                "--management.endpoint.health.probes.add-additional-paths=true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "handler"})
    void endpoints_at_the_root_leave_the_other_paths_limited(String phase) {
        withPort(
                (http, management) -> {
                    assertThat(statuses(http, "/health")).containsOnly(200);
                    assertThat(statuses(http, "/page")).containsExactly(200, 200, 429, 429);
                },
                "--ratelimit.rules.all.paths=/**",
                "--ratelimit.rules.all.phase=" + phase,
                "--management.endpoints.web.base-path=/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "handler"})
    void a_management_port_of_its_own_is_free(String phase) {
        withPort(
                (http, management) -> {
                    assertThat(statuses(management, "/actuator/health")).containsOnly(200);
                    assertThat(management.get("/actuator/health").limit()).isNull();
                    assertThat(statuses(http, "/actuator/health"))
                            .containsExactly(404, 404, 429, 429);
                },
                "--ratelimit.rules.all.paths=/**",
                "--ratelimit.rules.all.phase=" + phase,
                "--management.server.port=0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "handler"})
    void paths_are_those_within_the_servlet_that_maps_them(String phase) {
        withPort(
                (http, management) -> {
                    assertThat(statuses(http, "/app/admin/users"))
                            .containsExactly(200, 200, 429, 429);
                    assertThat(http.get("/app/%61dmin/users").status()).isNotEqualTo(200);
                    assertThat(http.get("/app/page").limit()).isNull();
                },
                "--server.servlet.context-path=/app",
                "--ratelimit.rules.users.paths=/users",
                "--ratelimit.rules.users.phase=" + phase,
                "--ratelimit.rules.users.requests=2",
                "--ratelimit.rules.users.window=1m");
    }

    @Test
    void the_filter_limits_servlets_that_are_not_of_spring_mvc() {
        withPort(
                (http, management) ->
                        assertThat(statuses(http, "/legacy/x")).containsExactly(200, 200, 429, 429),
                "--ratelimit.rules.all.paths=/legacy/**",
                "--ratelimit.rules.all.phase=filter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "handler"})
    void a_refusal_has_the_cors_fields_that_the_context_of_the_servlet_configures(String phase) {
        withPort(
                (http, management) -> {
                    String origin = "Origin: https://good.example";
                    statusesOf(http, "/admin/cors", origin);
                    Response refused = http.get("/admin/cors", origin);
                    assertThat(refused.status()).isEqualTo(429);
                    assertThat(refused.header("Access-Control-Allow-Origin"))
                            .isEqualTo("https://good.example");
                },
                "--ratelimit.rules.all.paths=/cors",
                "--ratelimit.rules.all.phase=" + phase);
    }

    private static List<Integer> statuses(RawHttp http, String path) {
        return statusesOf(http, path);
    }

    private static List<Integer> statusesOf(RawHttp http, String path, String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            statuses.add(http.get(path, headers).status());
        }
        return statuses;
    }

    private static void withPort(BiConsumer<RawHttp, RawHttp> test, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(properties));
        arguments.add("--server.port=0");
        arguments.add("--spring.config.location=optional:classpath:none.yml");
        arguments.add("--spring.main.banner-mode=off");
        arguments.add("--management.health.redis.enabled=false");
        arguments.add("--ratelimit.rules.all.requests=2");
        arguments.add("--ratelimit.rules.all.window=1m");
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(Site.class)
                        .registerShutdownHook(false)
                        .run(arguments.toArray(String[]::new))) {
            test.accept(
                    new RawHttp(port(context, "local.server.port")),
                    new RawHttp(port(context, "local.management.port")));
        }
    }

    private static int port(ConfigurableApplicationContext context, String property) {
        return context.getEnvironment().getRequiredProperty(property, Integer.class);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Site.Pages.class)
    static class Site {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }

        @Bean
        ServletRegistrationBean<DispatcherServlet> admin() {
            AnnotationConfigWebApplicationContext context =
                    new AnnotationConfigWebApplicationContext();
            context.register(Admin.class);
            ServletRegistrationBean<DispatcherServlet> registration =
                    new ServletRegistrationBean<>(new DispatcherServlet(context), "/admin/*");
            registration.setName("admin");
            return registration;
        }

        @Bean
        ServletRegistrationBean<HttpServlet> legacy() {
            HttpServlet servlet =
                    new HttpServlet() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected void doGet(
                                HttpServletRequest request, HttpServletResponse response)
                                throws IOException {
                            response.getWriter().write("ok");
                        }
                    };
            return new ServletRegistrationBean<>(servlet, "/legacy/*");
        }

        @RestController
        static class Pages {

            @GetMapping("/page")
            String page() {
                return "ok";
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    @Import(Admin.Users.class)
    static class Admin {

        @RestController
        static class Users {

            @GetMapping("/users")
            String users() {
                return "ok";
            }

            @CrossOrigin("https://good.example")
            @GetMapping("/cors")
            String cors() {
                return "ok";
            }
        }
    }
}
