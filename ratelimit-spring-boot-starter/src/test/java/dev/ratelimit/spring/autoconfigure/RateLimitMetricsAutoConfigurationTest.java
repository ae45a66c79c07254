package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.metrics.RateLimitMeters;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rules;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RateLimitMetricsAutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    MetricsAutoConfiguration.class,
                                    RateLimitAutoConfiguration.class,
                                    RateLimitMetricsAutoConfiguration.class))
                    .withPropertyValues(
                            "ratelimit.rules.search.requests=3",
                            "ratelimit.rules.search.window=1m");

    @Test
    void rules_have_meters_in_the_registry_of_the_application() {
        application
                .withBean(SimpleMeterRegistry.class)
                .run(
                        context ->
                                assertThat(
                                                context.getBean(MeterRegistry.class)
                                                        .get("ratelimit.requests")
                                                        .tags("rule", "search")
                                                        .counters())
                                        .hasSize(5));
    }

    @Test
    void the_meters_need_no_actuator() {
        application
                .withBean(SimpleMeterRegistry.class)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(
                        context ->
                                assertThat(context.getBean(MeterRegistry.class).getMeters())
                                        .extracting(meter -> meter.getId().getName())
                                        .contains("ratelimit.requests", "ratelimit.buckets"));
    }

    @Test
    void without_a_registry_nothing_happens() {
        application.run(
                context -> assertThat(context).hasNotFailed().hasSingleBean(RateLimitMeters.class));
    }

    @Test
    void without_micrometer_there_are_no_meters() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(
                                RateLimitAutoConfiguration.class,
                                RateLimitMetricsAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(
                        context ->
                                assertThat(context)
                                        .hasNotFailed()
                                        .hasSingleBean(Rules.class)
                                        .doesNotHaveBean(RateLimitMeters.class));
    }

    @Test
    void two_applications_in_one_process_have_meters_of_their_own() {
        application
                .withBean(SimpleMeterRegistry.class)
                .run(
                        first ->
                                application
                                        .withBean(SimpleMeterRegistry.class)
                                        .run(
                                                second -> {
                                                    Rules rules = first.getBean(Rules.class);
                                                    List.copyOf(rules.all())
                                                            .get(0)
                                                            .counters()
                                                            .count(Outcome.ALLOWED);
                                                    assertThat(
                                                                    allowed(
                                                                            first.getBean(
                                                                                    MeterRegistry
                                                                                            .class)))
                                                            .isEqualTo(1);
                                                    assertThat(
                                                                    allowed(
                                                                            second.getBean(
                                                                                    MeterRegistry
                                                                                            .class)))
                                                            .isZero();
                                                }));
    }

    private static double allowed(MeterRegistry registry) {
        return registry.get("ratelimit.requests")
                .tags("rule", "search", "outcome", "allowed")
                .counter()
                .count();
    }

    @Test
    void the_thread_of_the_meters_ends_with_the_application() throws Exception {
        // Those of other tests may still be about to end.
        Set<Thread> before = threads();
        Set<Thread> started = new HashSet<>();
        application.withBean(SimpleMeterRegistry.class).run(context -> started.addAll(threads()));
        started.removeAll(before);

        assertThat(started).hasSize(1);
        Thread thread = started.iterator().next();
        thread.join(2_000);
        assertThat(thread.isAlive()).isFalse();
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ratelimit-meters"))
                .collect(Collectors.toSet());
    }
}
