package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimitRejectionHandler;
import dev.ratelimit.spring.autoconfigure.RateLimitAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitMethodAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitWebAutoConfiguration;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

class RateLimitWebAutoConfigurationTest {

    private static final AutoConfigurations LIMITS =
            AutoConfigurations.of(
                    RateLimitAutoConfiguration.class,
                    RateLimitMethodAutoConfiguration.class,
                    RateLimitWebAutoConfiguration.class);

    private final WebApplicationContextRunner web =
            new WebApplicationContextRunner()
                    .withConfiguration(LIMITS)
                    .withUserConfiguration(Application.class)
                    .withPropertyValues(
                            "ratelimit.rules.api.paths=/api/{name}",
                            "ratelimit.rules.api.requests=1",
                            "ratelimit.rules.api.window=1d");

    @Test
    void requests_are_limited_in_an_application_that_configures_mvc_itself() {
        web.run(
                context -> {
                    assertThat(get(context, "/api/x").getStatus()).isEqualTo(200);
                    assertThat(get(context, "/api/x").getStatus()).isEqualTo(429);
                });
    }

    @Test
    void requests_are_limited_where_beans_are_made_late() {
        web.withInitializer(
                        context ->
                                context.addBeanFactoryPostProcessor(
                                        new LazyInitializationBeanFactoryPostProcessor()))
                .run(
                        context -> {
                            get(context, "/api/x");
                            assertThat(get(context, "/api/x").getStatus()).isEqualTo(429);
                        });
    }

    @Test
    void nothing_is_counted_or_shown_when_limits_are_off() {
        web.withPropertyValues("ratelimit.enabled=false")
                .run(
                        context -> {
                            get(context, "/api/x");
                            MockHttpServletResponse response = get(context, "/api/x");
                            assertThat(response.getStatus()).isEqualTo(200);
                            assertThat(response.getHeaderNames())
                                    .doesNotContain("X-RateLimit-Limit");
                        });
    }

    @Test
    void fields_can_be_left_out() {
        web.withPropertyValues("ratelimit.headers.styles=")
                .run(
                        context -> {
                            assertThat(get(context, "/api/x").getHeaderNames())
                                    .noneMatch(name -> name.contains("RateLimit"));
                            MockHttpServletResponse refused = get(context, "/api/x");
                            assertThat(refused.getStatus()).isEqualTo(429);
                            assertThat(refused.getHeader("Retry-After")).isNotNull();
                        });
    }

    @Test
    void without_mvc_there_is_no_request_to_limit() {
        new ApplicationContextRunner()
                .withConfiguration(LIMITS)
                .run(context -> assertThat(context).doesNotHaveBean(CurrentCaller.class));
        new WebApplicationContextRunner()
                .withConfiguration(LIMITS)
                .withClassLoader(new FilteredClassLoader(WebMvcConfigurer.class))
                .run(
                        context ->
                                assertThat(context)
                                        .hasNotFailed()
                                        .doesNotHaveBean(CurrentCaller.class));
    }

    @Test
    void matching_ignores_case_where_the_application_does() {
        web.withUserConfiguration(IgnoresCase.class)
                .run(
                        context -> {
                            assertThat(get(context, "/API/x").getStatus()).isEqualTo(200);
                            assertThat(get(context, "/Api/x").getStatus()).isEqualTo(429);
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/x", "//api/x", "/api//x", "/%61pi/x", "/api;a=b/x;c"})
    void matching_sees_the_strings_that_an_ant_path_matcher_sees(String spelling) {
        web.withUserConfiguration(MatchesStrings.class)
                .run(
                        context -> {
                            get(context, "/api/x");
                            assertThat(get(context, spelling).getStatus()).isEqualTo(429);
                        });
    }

    @ParameterizedTest
    @CsvSource({
        "/api/{id, is not a pattern",
        "/api/**/more, is not a pattern",
        "/search?q=a, no path contains the query",
        "api/search, does not begin with '/'",
        "https://example.org/api, does not begin with '/'"
    })
    void a_path_that_no_request_matches_stops_the_start(String path, String problem) {
        for (String property : new String[] {"paths", "exclude-paths"}) {
            web.withPropertyValues(
                            "ratelimit.rules.bad.paths[0]=/ok/{id:[a-z]?}",
                            "ratelimit.rules.bad." + property + "[0]=/ok",
                            "ratelimit.rules.bad." + property + "[1]=" + path,
                            "ratelimit.rules.bad.requests=1",
                            "ratelimit.rules.bad.window=1d")
                    .run(
                            context ->
                                    assertThat(context)
                                            .getFailure()
                                            .isInstanceOf(InvalidRuleException.class)
                                            .hasMessageContaining(
                                                    "ratelimit.rules.bad." + property + "[1]")
                                            .hasMessageContaining("'" + path + "'")
                                            .hasMessageContaining(problem));
        }
    }

    @Test
    void a_key_of_a_bean_that_is_not_there_stops_the_start() {
        web.withPropertyValues("ratelimit.rules.api.key=bean:nobody")
                .run(
                        context ->
                                assertThat(context)
                                        .getFailure()
                                        .rootCause()
                                        .hasMessageContaining("ratelimit.rules.api.key")
                                        .hasMessageContaining("nobody"));
    }

    @ParameterizedTest
    @CsvSource({"key, user", "'key[1]', user", "plan, ' user '"})
    void what_the_filter_cannot_know_yet_stops_the_start(String property, String value) {
        web.withPropertyValues(
                        "ratelimit.rules.api.phase=filter",
                        "ratelimit.rules.api.key[0]=ip",
                        "ratelimit.rules.api.plan=header:X-Plan",
                        "ratelimit.rules.api.plans.gold.requests=5",
                        "ratelimit.rules.api." + property + "=" + value)
                .run(
                        context ->
                                assertThat(context)
                                        .getFailure()
                                        .rootCause()
                                        .isInstanceOf(InvalidRuleException.class)
                                        .hasMessageContaining(
                                                "ratelimit.rules.api." + property.substring(0, 3))
                                        .hasMessageContaining("filter phase"));
    }

    @Test
    void the_filter_is_placed_before_spring_security_wherever_that_is() {
        web.run(context -> assertThat(orderOfFilter(context)).isEqualTo(-110));
        web.withPropertyValues("spring.security.filter.order=5")
                .run(context -> assertThat(orderOfFilter(context)).isEqualTo(-5));
        web.withPropertyValues("spring.security.filter.order=" + Integer.MIN_VALUE)
                .run(context -> assertThat(orderOfFilter(context)).isEqualTo(Integer.MIN_VALUE));
    }

    private static int orderOfFilter(WebApplicationContext context) {
        return context.getBean(
                        "rateLimitFilterRegistration", DelegatingFilterProxyRegistrationBean.class)
                .getOrder();
    }

    @Test
    void a_handler_of_the_application_writes_the_body_instead() {
        AtomicReference<RateLimitExceededException> seen = new AtomicReference<>();
        web.withBean(
                        RateLimitRejectionHandler.class,
                        () ->
                                (request, response, exception) -> {
                                    seen.set(exception);
                                    response.setContentType("text/plain");
                                    response.getWriter().write("slower, please");
                                })
                .run(
                        context -> {
                            get(context, "/api/x");
                            MockHttpServletResponse refused = get(context, "/api/x");
                            assertThat(refused.getStatus()).isEqualTo(429);
                            assertThat(refused.getContentAsString()).isEqualTo("slower, please");
                            assertThat(refused.getHeader("Cache-Control")).isEqualTo("no-store");
                            assertThat(refused.getHeader("Retry-After")).matches("[1-9]\\d*");
                            assertThat(refused.getHeader("X-RateLimit-Limit")).isEqualTo("1");
                            assertThat(seen.get().ruleName()).isEqualTo("api");
                            assertThat(seen.get().violatedPolicies()).containsExactly("api");
                        });
    }

    @Test
    void a_handler_of_the_application_answers_in_the_filter_phase_too() {
        web.withPropertyValues("ratelimit.rules.api.phase=filter")
                .withBean(
                        RateLimitRejectionHandler.class,
                        () ->
                                (request, response, exception) ->
                                        response.getWriter().write(exception.ruleName()))
                .run(
                        context -> {
                            RateLimitFilter filter = context.getBean(RateLimitFilter.class);
                            MockMvc mvc =
                                    MockMvcBuilders.webAppContextSetup(context)
                                            .addFilters(filter)
                                            .build();
                            mvc.perform(MockMvcRequestBuilders.get("/api/x"));
                            MockHttpServletResponse refused =
                                    mvc.perform(MockMvcRequestBuilders.get("/api/x"))
                                            .andReturn()
                                            .getResponse();
                            assertThat(refused.getStatus()).isEqualTo(429);
                            assertThat(refused.getContentAsString()).isEqualTo("api");
                        });
    }

    @Test
    void a_handler_that_fails_leaves_the_usual_answer() {
        web.withBean(
                        RateLimitRejectionHandler.class,
                        () ->
                                (request, response, exception) -> {
                                    response.setStatus(500);
                                    response.getWriter().write("half");
                                    throw new IllegalStateException("for a test");
                                })
                .run(
                        context -> {
                            get(context, "/api/x");
                            MockHttpServletResponse refused = get(context, "/api/x");
                            assertThat(refused.getStatus()).isEqualTo(429);
                            assertThat(refused.getContentAsString()).startsWith("{\"type\":");
                        });
    }

    @Test
    void two_handlers_stop_the_start() {
        RateLimitRejectionHandler handler = (request, response, exception) -> {};
        web.withBean("one", RateLimitRejectionHandler.class, () -> handler)
                .withBean("two", RateLimitRejectionHandler.class, () -> handler)
                .run(
                        context ->
                                assertThat(context)
                                        .getFailure()
                                        .isInstanceOf(NoUniqueBeanDefinitionException.class));
    }

    private static MockHttpServletResponse get(WebApplicationContext context, String path)
            throws Exception {
        return MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(
                        MockMvcRequestBuilders.request(
                                HttpMethod.GET, URI.create("http://h" + path)))
                .andReturn()
                .getResponse();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class Application {

        @Bean
        Api api() {
            return new Api();
        }
    }

    @RestController
    static class Api {

        @GetMapping("/api/{name}")
        String any() {
            return "ok";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class IgnoresCase implements WebMvcConfigurer {

        @Override
        public void configurePathMatch(PathMatchConfigurer configurer) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            configurer.setPatternParser(parser);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MatchesStrings implements WebMvcConfigurer {

        @Override
        @SuppressWarnings("removal")
        public void configurePathMatch(PathMatchConfigurer configurer) {
            configurer.setPathMatcher(new AntPathMatcher());
        }
    }
}
