package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/**
 * Starts an application where the optional libraries are not on the class path at all: which of
 * them has which class is what differs most between the lines of Spring Boot.
 */
class OptionalLibrariesTest {

    private static final String WEB = "spring-web|spring-boot-web|tomcat|servlet";
    private static final String ACTUATOR =
            "actuator|spring-boot-health|spring-security|spring-boot-security";

    /** With what is on the class path for its sake only. */
    private static final String REDIS = "redis|lettuce|jedis|netty|reactor|reactive|spring-tx";

    /** Spring's own web support cannot do without micrometer-observation. */
    private static final String MICROMETER =
            "micrometer-core|micrometer-jakarta|spring-boot-micrometer";

    @Test
    void without_actuator_security_and_redis_all_but_the_endpoint_is_there() throws Exception {
        assertThat(beansWithout(ACTUATOR + "|" + REDIS))
                .contains("rateLimitRules", "rateLimitInterceptor", "rateLimitMeters")
                .doesNotContain("rateLimitEndpoint");
    }

    @Test
    void without_any_of_them_the_rules_and_the_advice_are_there() throws Exception {
        assertThat(beansWithout(WEB + "|" + ACTUATOR + "|" + MICROMETER + "|" + REDIS))
                .contains("rateLimitRules", "rateLimiters", "rateLimitMethodLimiter")
                .doesNotContain("rateLimitMeters", "rateLimitEndpoint", "rateLimitInterceptor");
    }

    private static List<String> beansWithout(String libraries) throws Exception {
        Pattern absent = Pattern.compile("(" + libraries + ")[^/]*\\.jar$");
        return ClassPath.call(
                ClassPath.filter(ClassPath.OF_TESTS, path -> !absent.matcher(path).find()),
                Start.class,
                "rateLimit");
    }

    /** Tells which beans an application has whose names begin so. */
    public static final class Start implements Function<String, String[]> {

        @Override
        public String[] apply(String prefix) {
            boolean web =
                    ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", null);
            if (web) {
                ClassPath.forgetUrlHandlers();
            }
            try (ConfigurableApplicationContext context =
                    new SpringApplicationBuilder(Application.class)
                            .web(web ? WebApplicationType.SERVLET : WebApplicationType.NONE)
                            .logStartupInfo(false)
                            .registerShutdownHook(false)
                            .run(
                                    "--server.port=0",
                                    "--spring.main.banner-mode=off",
                                    "--spring.config.location=optional:classpath:/none/",
                                    "--management.endpoints.web.exposure.include=*")) {
                return Stream.of(context.getBeanDefinitionNames())
                        .filter(name -> name.startsWith(prefix))
                        .toArray(String[]::new);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
