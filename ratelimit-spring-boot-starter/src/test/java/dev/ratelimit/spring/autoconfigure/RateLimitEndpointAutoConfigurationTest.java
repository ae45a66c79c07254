package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.actuate.RateLimitEndpoint;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RateLimitEndpointAutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner()
                    .withInitializer(
                            context ->
                                    context.getEnvironment()
                                            .setConversionService(
                                                    new ApplicationConversionService()))
                    .withConfiguration(
                            AutoConfigurations.of(
                                    RateLimitAutoConfiguration.class,
                                    RateLimitEndpointAutoConfiguration.class));

    @Test
    void the_endpoint_is_not_exposed_unless_asked_for() {
        application.run(
                context ->
                        assertThat(context)
                                .hasNotFailed()
                                .doesNotHaveBean(RateLimitEndpoint.class));
    }

    @Test
    void the_endpoint_is_there_when_it_is_exposed() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=ratelimits")
                .run(context -> assertThat(context).hasSingleBean(RateLimitEndpoint.class));
    }

    @Test
    void the_endpoint_needs_no_web_to_be_exposed_over_jmx() {
        application
                .withPropertyValues(
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=ratelimits")
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.web", "jakarta.servlet"))
                .run(context -> assertThat(context).hasSingleBean(RateLimitEndpoint.class));
    }

    @Test
    void access_can_be_taken_away() {
        application
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=ratelimits",
                        "management.endpoint.ratelimits.access=none")
                .run(context -> assertThat(context).doesNotHaveBean(RateLimitEndpoint.class));
    }

    @Test
    void without_actuator_there_is_no_endpoint() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=ratelimits")
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(
                        context ->
                                assertThat(context)
                                        .hasNotFailed()
                                        .doesNotHaveBean(RateLimitEndpoint.class));
    }
}
