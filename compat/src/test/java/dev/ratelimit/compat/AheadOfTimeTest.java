package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.actuate.RateLimitEndpoint;
import dev.ratelimit.spring.autoconfigure.RateLimitAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitEndpointAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitMethodAutoConfiguration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** An application that was processed ahead of time, as native images are, on the JVM. */
class AheadOfTimeTest {

    @Test
    @CompileWithForkedClassLoader
    void limits_hold_and_proxies_are_made_in_advance() {
        runAheadOfTime(
                context -> {
                    Quotes quotes = context.getBean(Quotes.class);
                    assertThat(quotes.of("EUR")).isEqualTo("a quote");
                    assertThat(quotes.of("EUR")).isEqualTo("an old quote");
                    assertThat(quotes.of("USD")).isEqualTo("a quote");
                    quotes.all();
                    assertThatThrownBy(quotes::all).isInstanceOf(RateLimitExceededException.class);

                    RateLimiters limiters = context.getBean(RateLimiters.class);
                    assertThat(limiters.get("jobs").tryAcquire("a").allowed()).isTrue();
                    assertThat(limiters.get("jobs").tryAcquire("a").allowed()).isFalse();
                    assertThat(context.getBean(RateLimitEndpoint.class).all().rules())
                            .extracting(rule -> rule.name() + " " + rule.rejected())
                            .containsExactly("Quotes.all 1", "Quotes.of 1", "jobs 1");
                });
    }

    private static void runAheadOfTime(Consumer<GenericApplicationContext> assertions) {
        TestPropertyValues properties =
                TestPropertyValues.of(
                        "management.endpoints.jmx.exposure.include=ratelimits",
                        "spring.jmx.enabled=true",
                        "ratelimit.rules.jobs.requests=1",
                        "ratelimit.rules.jobs.window=1h");
        AnnotationConfigApplicationContext processed = new AnnotationConfigApplicationContext();
        processed.register(Application.class);
        properties.applyTo(processed);
        TestGenerationContext generated = new TestGenerationContext(Application.class);
        ClassName initializer =
                new ApplicationContextAotGenerator().processAheadOfTime(processed, generated);
        generated.writeGeneratedContent();
        assertThat(generated.getGeneratedFiles().getGeneratedFiles(Kind.CLASS).keySet())
                .anyMatch(file -> file.contains("Quotes$$SpringCGLIB$$"));
        TestCompiler.forSystem()
                .with(generated)
                .compile(
                        compiled -> {
                            GenericApplicationContext context = new GenericApplicationContext();
                            properties.applyTo(context);
                            initialize(
                                    compiled.getInstance(
                                            ApplicationContextInitializer.class,
                                            initializer.canonicalName()),
                                    context);
                            try (context) {
                                context.refresh();
                                assertions.accept(context);
                            }
                        });
    }

    @SuppressWarnings("unchecked")
    private static void initialize(
            ApplicationContextInitializer<?> initializer, GenericApplicationContext context) {
        ((ApplicationContextInitializer<GenericApplicationContext>) initializer)
                .initialize(context);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        RateLimitAutoConfiguration.class,
        RateLimitMethodAutoConfiguration.class,
        RateLimitEndpointAutoConfiguration.class
    })
    static class Application {

        @Bean
        Quotes quotes() {
            return new Quotes();
        }
    }

    static class Quotes {

        @RateLimited(requests = 1, unit = TimeUnit.HOURS, key = "#code", fallback = "old")
        public String of(String code) {
            return "a quote";
        }

        String old(String code) {
            return "an old quote";
        }

        @RateLimited(requests = 1, unit = TimeUnit.HOURS)
        public String all() {
            return "all quotes";
        }
    }
}
