package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.spring.RateLimited;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Starts that fail, and one that needs no web. */
@ExtendWith(OutputCaptureExtension.class)
class StartTest {

    @Test
    void the_line_that_was_asked_for_is_the_one_that_is_tested() {
        assertThat(SpringBootVersion.getVersion())
                .isEqualTo(System.getProperty("compat.boot.version"));
    }

    @ParameterizedTest
    @CsvSource({
        "ratelimit.rules.a.requests=0, ratelimit.rules.a.requests",
        "ratelimit.rules.a.windw=1s, Did you mean 'window'?",
        "ratelimit.rules.a.mode=sometimes, ratelimit.rules.a.mode",
        "ratelimit.rules.a.when=principle.name, there is no 'principle'",
        "ratelimit.rules.a.paths=/a, this is not a servlet web application"
    })
    void a_setting_that_cannot_work_stops_the_start_with_a_message(
            String setting, String message, CapturedOutput output) {
        assertThatThrownBy(() -> start("--" + setting)).isNotNull();
        assertThat(output.getAll()).contains("APPLICATION FAILED TO START").contains(message);
    }

    @Test
    void an_application_without_web_has_its_calls_limited() {
        try (ConfigurableApplicationContext context = start()) {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.run();
            assertThatThrownBy(jobs::run).hasMessageContaining("Jobs.run");
        }
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        SpringApplication application = new SpringApplication(Plain.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(
                Map.of(
                        "spring.config.location", "optional:classpath:/none/",
                        "ratelimit.rules.a.requests", "1",
                        "ratelimit.rules.a.window", "1s"));
        return application.run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {

        @RateLimited(requests = 1, window = 60)
        public void run() {}
    }
}
