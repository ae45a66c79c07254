package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.autoconfigure.RateLimitAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitMethodAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitWebAutoConfiguration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** No way that Spring MVC leads a request to a handler goes around the interceptor. */
class HandlerMappingsTest {

    private final WebApplicationContextRunner runner =
            new WebApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    RateLimitAutoConfiguration.class,
                                    RateLimitWebAutoConfiguration.class,
                                    RateLimitMethodAutoConfiguration.class))
                    .withBean(Hello.class);

    @ParameterizedTest
    @ValueSource(strings = {"/hello", "/files/a"})
    void an_application_that_enables_mvc_is_limited(String path) {
        runner.withUserConfiguration(EnabledMvc.class)
                .run(context -> assertThat(limitsOf(context, path)).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/hello", "/files/a"})
    void an_application_with_an_mvc_configuration_of_its_own_is_limited(String path) {
        runner.withUserConfiguration(OwnMvc.class)
                .run(context -> assertThat(limitsOf(context, path)).isEqualTo(1));
    }

    /** How many interceptors of ours a request for the path passes on the way to its handler. */
    private static long limitsOf(ApplicationContext context, String path) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
        ServletRequestPathUtils.parseAndCache(request);
        for (HandlerMapping mapping : context.getBeansOfType(HandlerMapping.class).values()) {
            HandlerExecutionChain chain = mapping.getHandler(request);
            if (chain != null) {
                return chain.getInterceptorList().stream()
                        .filter(RateLimitInterceptor.class::isInstance)
                        .count();
            }
        }
        throw new AssertionError("Nothing handles " + path);
    }

    @RestController
    static class Hello {

        @GetMapping("/hello")
        String hello() {
            return "Hello";
        }
    }

    static class Files {

        @Bean
        SimpleUrlHandlerMapping files() {
            HttpRequestHandler handler = (request, response) -> {};
            return new SimpleUrlHandlerMapping(Map.of("/files/**", handler), -5);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMvc extends WebMvcConfigurationSupport {

        @Bean
        SimpleUrlHandlerMapping files() {
            return new Files().files();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class EnabledMvc extends Files {}
}
