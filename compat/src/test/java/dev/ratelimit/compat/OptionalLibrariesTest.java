package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
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

/**
 * Starts an application where the optional libraries are not on the class path at all: which of
 * them has which class is what differs most between the lines of Spring Boot.
 */
class OptionalLibrariesTest {

    private static final String WEB = "spring-web|spring-boot-web|tomcat|servlet";
    private static final String ACTUATOR =
            "actuator|spring-boot-health|spring-security|spring-boot-security";

    /** Spring's own web support cannot do without micrometer-observation. */
    private static final String MICROMETER =
            "micrometer-core|micrometer-jakarta|spring-boot-micrometer";

    @Test
    void without_actuator_and_security_all_but_the_endpoint_is_there() throws Exception {
        assertThat(beansWithout(ACTUATOR))
                .contains("rateLimitRules", "rateLimitInterceptor", "rateLimitMeters")
                .doesNotContain("rateLimitEndpoint");
    }

    @Test
    void without_any_of_them_the_rules_and_the_advice_are_there() throws Exception {
        assertThat(beansWithout(WEB + "|" + ACTUATOR + "|" + MICROMETER))
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
                                    "--spring.config.location=optional:classpath:/none/",
                                    "--management.endpoints.web.exposure.include=*")) {
                return Stream.of(context.getBeanDefinitionNames())
                        .filter(name -> name.startsWith("rateLimit"))
                        .toArray(String[]::new);
            }
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
    static class Application {}
}
