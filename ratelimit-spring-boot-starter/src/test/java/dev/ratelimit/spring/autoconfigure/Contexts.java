package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

/** Starts contexts as an application does, with all auto-configurations of this project. */
final class Contexts {

    private static final AutoConfigurations ALL =
            AutoConfigurations.of(
                    RateLimitRedisAutoConfiguration.class,
                    RateLimitAutoConfiguration.class,
                    RateLimitWebAutoConfiguration.class,
                    RateLimitMethodAutoConfiguration.class,
                    RateLimitEndpointAutoConfiguration.class,
                    RateLimitMetricsAutoConfiguration.class);

    private Contexts() {}

    static ApplicationContextRunner plain() {
        return new ApplicationContextRunner().withConfiguration(ALL);
    }

    static WebApplicationContextRunner web() {
        return new WebApplicationContextRunner().withConfiguration(ALL);
    }

    /** Adds what an application.yml says. */
    static ApplicationContextInitializer<ConfigurableApplicationContext> yaml(String text) {
        ByteArrayResource resource =
                new ByteArrayResource(
                        text.getBytes(StandardCharsets.UTF_8), "application.yml of the test");
        return context -> {
            try {
                for (PropertySource<?> source :
                        new YamlPropertySourceLoader().load("application.yml", resource)) {
                    context.getEnvironment().getPropertySources().addLast(source);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** What Spring Boot would print when the context does not start. */
    static FailureAnalysis failure(
            AbstractApplicationContextRunner<?, ?, ?> runner,
            ApplicationContextInitializer<ConfigurableApplicationContext> initializer) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        ConfigurableEnvironment[] environment = new ConfigurableEnvironment[1];
        runner.withInitializer(initializer)
                .withInitializer(context -> environment[0] = context.getEnvironment())
                .run(
                        context -> {
                            Throwable failure =
                                    ((ApplicationContextAssertProvider<?>) context)
                                            .getStartupFailure();
                            assertThat(failure).as("failure of the start").isNotNull();
                            analysis[0] = analyze(failure, environment[0]);
                        });
        return analysis[0];
    }

    private static FailureAnalysis analyze(Throwable failure, Environment environment) {
        List<FailureAnalyzer> analyzers =
                SpringFactoriesLoader.forDefaultResourceLocation()
                        .load(
                                FailureAnalyzer.class,
                                ArgumentResolver.of(Environment.class, environment),
                                (type, name, problem) -> {
                                    // Some of Spring Boot's want a BeanFactory, and are not needed.
                                });
        return analyzers.stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("No analysis of the failure", failure));
    }
}
