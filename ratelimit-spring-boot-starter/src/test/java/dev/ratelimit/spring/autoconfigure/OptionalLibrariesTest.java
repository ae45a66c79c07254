package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.web.RawHttp;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Starts an application where the optional libraries are not on the class path at all. A filtered
 * class loader would still find their classes wherever the starter's own refer to them.
 */
class OptionalLibrariesTest {

    private static final String WEB = "spring-web|spring-boot-web|tomcat|servlet";
    private static final String ACTUATOR = "actuator|spring-boot-health";

    /** Spring's own web support cannot do without micrometer-observation. */
    private static final String MICROMETER =
            "micrometer-core|micrometer-jakarta|micrometer-registry|spring-boot-micrometer|prometheus";

    /** Lettuce cannot do without Reactive Streams. */
    private static final String REDIS = "data-redis|lettuce|jedis|spring-tx|spring-data";

    @Test
    void without_web_all_but_the_interceptor_is_there() throws Exception {
        assertThat(beansWithout(WEB))
                .contains("rateLimitRules", "rateLimitMeters", "rateLimitEndpoint")
                .doesNotContain("rateLimitInterceptor");
    }

    @Test
    void without_actuator_and_micrometer_all_but_the_endpoint_and_the_meters_is_there()
            throws Exception {
        assertThat(beansWithout(ACTUATOR + "|" + MICROMETER))
                .contains("rateLimitRules", "rateLimitInterceptor")
                .doesNotContain("rateLimitMeters", "rateLimitEndpoint");
    }

    @Test
    void without_spring_security_all_is_there() throws Exception {
        assertThat(beansWithout("spring-security|spring-boot-security"))
                .contains("rateLimitFilter", "rateLimitInterceptor", "rateLimitEndpoint");
    }

    @Test
    void without_reactive_streams_all_is_there() throws Exception {
        assertThat(beansWithout("reactive-streams|reactor|" + REDIS))
                .contains("rateLimitInterceptor", "rateLimitMethodLimiter");
    }

    @Test
    void without_redis_all_is_there() throws Exception {
        assertThat(beansWithout(REDIS))
                .contains("rateLimitFilter", "rateLimitMeters", "rateLimitStore")
                .doesNotContain("rateLimitStoreLatencyMeter");
    }

    @Test
    void without_any_of_them_the_rules_are_there() throws Exception {
        assertThat(
                        beansWithout(
                                WEB
                                        + "|"
                                        + ACTUATOR
                                        + "|"
                                        + MICROMETER
                                        + "|security|reactive|"
                                        + REDIS))
                .contains("rateLimitRules", "rateLimiters", "rateLimitMethodLimiter")
                .doesNotContain("rateLimitMeters", "rateLimitEndpoint", "rateLimitInterceptor");
    }

    private static List<String> beansWithout(String libraries) throws Exception {
        Pattern absent = Pattern.compile("(" + libraries + ")[^/]*\\.jar$");
        URL[] present =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(path -> !absent.matcher(path).find())
                        .map(OptionalLibrariesTest::url)
                        .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(present, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            Object start =
                    loader.loadClass(Start.class.getName()).getDeclaredConstructor().newInstance();
            return List.of((String[]) ((Supplier<?>) start).get());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(String path) {
        try {
            return new File(path).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    /** Runs within the other class loader, and answers with a class that both know. */
    public static final class Start implements Supplier<String[]> {

        @Override
        public String[] get() {
            boolean web = isPresent("org.springframework.web.servlet.DispatcherServlet");
            if (web) {
                Tomcat.forgetUrlHandlers();
            }
            try (ConfigurableApplicationContext context =
                    new SpringApplicationBuilder(Application.class)
                            .web(web ? WebApplicationType.SERVLET : WebApplicationType.NONE)
                            .logStartupInfo(false)
                            .registerShutdownHook(false)
                            .run(
                                    "--server.port=0",
                                    "--spring.main.banner-mode=off",
                                    "--spring.jmx.enabled=true",
                                    "--spring.jmx.unique-names=true",
                                    "--management.endpoints.jmx.exposure.include=ratelimits",
                                    "--ratelimit.rules.search.requests=1",
                                    "--ratelimit.rules.search.window=1d",
                                    web ? "--ratelimit.rules.search.paths=/**" : "",
                                    "--ratelimit.rules.search.phase=filter")) {
                if (web) {
                    requireRefusal(context);
                }
                requireRefusal(context.getBean(Annotated.class));
                return Stream.of(context.getBeanDefinitionNames())
                        .filter(name -> name.startsWith("rateLimit"))
                        .toArray(String[]::new);
            }
        }

        /** On its way, it looks for everything that could have something to say about CORS. */
        private static void requireRefusal(ConfigurableApplicationContext context) {
            RawHttp http =
                    new RawHttp(
                            context.getEnvironment()
                                    .getRequiredProperty("local.server.port", Integer.class));
            http.get("/", "Origin: https://good.example");
            int status = http.get("/", "Origin: https://good.example").status();
            if (status != 429) {
                throw new IllegalStateException("The second request was answered with " + status);
            }
        }

        private static void requireRefusal(Annotated annotated) {
            annotated.call("a");
            try {
                annotated.call("a");
            } catch (RateLimitExceededException e) {
                return;
            }
            throw new IllegalStateException("The second call was admitted");
        }

        private static boolean isPresent(String type) {
            try {
                Class.forName(type);
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }
    }

    /** Loaded only where there is one. */
    private static final class Tomcat {

        /** A process can have them once, and another test may have started a Tomcat. */
        static void forgetUrlHandlers() {
            TomcatURLStreamHandlerFactory.disable();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Annotated.class)
    static class Application {}

    static class Annotated {
        @RateLimited(requests = 1, unit = TimeUnit.DAYS, key = "#name")
        public String call(String name) {
            return name;
        }
    }
}
