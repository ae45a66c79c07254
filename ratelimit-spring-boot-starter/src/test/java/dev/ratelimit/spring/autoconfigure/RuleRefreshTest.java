package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.spring.RateLimitConfigurer;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.rule.Rules;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** The rules follow the environment when Spring Cloud says that it has changed. */
@ExtendWith(OutputCaptureExtension.class)
class RuleRefreshTest {

    private ConfigurableApplicationContext application;
    private MockMvcTester mvc;

    @BeforeEach
    void start() {
        application =
                new SpringApplicationBuilder(Application.class)
                        .run(
                                "--server.port=0",
                                "--spring.main.banner-mode=off",
                                "--ratelimit.rules.x.paths=/x",
                                "--ratelimit.rules.x.requests=3",
                                "--ratelimit.rules.x.window=1h",
                                "--ratelimit.rules.y.paths=/y",
                                "--ratelimit.rules.y.requests=1",
                                "--ratelimit.rules.y.window=1h",
                                "--ratelimit.rules.mail.requests=1",
                                "--ratelimit.rules.mail.window=1h");
        mvc = MockMvcTester.from((WebApplicationContext) application);
    }

    @AfterEach
    void stop() {
        application.close();
    }

    /** C118. */
    @Test
    void a_hundred_refreshes_without_a_change_change_nothing() {
        assertStatuses("/x", 200, 200, 200, 429);
        for (int i = 0; i < 100; i++) {
            refresh(Map.of());
        }
        assertStatuses("/x", 429);
    }

    @Test
    void a_change_at_run_time_outlives_a_refresh_that_is_not_about_it() {
        RateLimiters limiters = application.getBean(RateLimiters.class);
        limiters.update("x", LimitConfig.of(1, Duration.ofHours(1)));
        refresh(Map.of("ratelimit.rules.y.requests", 5));
        assertStatuses("/x", 200, 429);
    }

    /** C117. */
    @Test
    void other_numbers_take_effect_and_what_is_spent_stays_spent_and_no_other_rule_notices() {
        assertStatuses("/x", 200, 200, 200, 429);
        assertStatuses("/y", 200, 429);

        refresh(Map.of("ratelimit.rules.x.requests", 5));

        assertStatuses("/x", 200, 200, 429);
        assertStatuses("/y", 429);
        refresh(Map.of("ratelimit.rules.x.requests", 2));
        assertStatuses("/x", 429);
        anHourLater();
        assertStatuses("/x", 200, 200, 429);
    }

    @Test
    void other_paths_conditions_and_modes_take_effect_and_the_buckets_stay() {
        assertStatuses("/x", 200, 200, 200, 429);
        refresh(Map.of("ratelimit.rules.x.paths", "/x,/z"));
        assertStatuses("/z", 429);
        refresh(Map.of("ratelimit.rules.x.mode", "shadow"));
        assertStatuses("/x", 200);
        refresh(Map.of("ratelimit.rules.x.unless", "request.requestURI == '/z'"));
        assertStatuses("/z", 200);
        assertStatuses("/x", 429);
    }

    @Test
    void rules_come_and_go_with_their_meters_and_limiters() {
        MeterRegistry registry = application.getBean(MeterRegistry.class);
        RateLimiter limiter = application.getBean(RateLimiters.class).get("x");
        assertStatuses("/x", 200, 200, 200, 429);

        refresh(
                Map.of(
                        "ratelimit.rules.new.paths", "/new",
                        "ratelimit.rules.new.requests", 1,
                        "ratelimit.rules.new.window", "1h"));
        assertStatuses("/new", 200, 429);
        assertThat(registry.find("ratelimit.requests").tag("rule", "new").meters()).isNotEmpty();

        refresh(Map.of());
        assertStatuses("/new", 200, 200);
        assertThat(registry.getMeters())
                .noneMatch(meter -> "new".equals(meter.getId().getTag("rule")));

        refresh(
                Map.of(
                        "ratelimit.rules.x.strategy",
                        "sliding-log",
                        "ratelimit.rules.x.requests",
                        2));
        assertStatuses("/x", 200, 200, 429);
        assertThat(limiter.tryAcquire("mine").limit()).isEqualTo(2);
    }

    @Test
    void a_rule_that_annotations_name_can_go_and_come_back() {
        Mailer mailer = application.getBean(Mailer.class);
        mailer.send();
        assertThat(refused(mailer)).isTrue();

        application.getEnvironment().getPropertySources().remove("commandLineArgs");
        refresh(
                Map.of(
                        "ratelimit.rules.x.paths", "/x",
                        "ratelimit.rules.x.requests", 3,
                        "ratelimit.rules.x.window", "1h"));
        assertThat(application.getBean(Rules.class).find("mail")).isNull();
        assertThat(refused(mailer)).isFalse();
        assertThat(refused(mailer)).isFalse();
        assertStatuses("/y", 200, 200);

        refresh(Map.of("ratelimit.rules.mail.requests", 2, "ratelimit.rules.mail.window", "1h"));
        mailer.send();
        mailer.send();
        assertThat(refused(mailer)).isTrue();
    }

    @Test
    void what_cannot_work_leaves_all_rules_as_they_were(CapturedOutput output) {
        for (Map<String, Object> mistake :
                java.util.List.<Map<String, Object>>of(
                        Map.of("ratelimit.rules.x.requests", 0),
                        Map.of("ratelimit.rules.x.windw", "1h"),
                        Map.of("ratelimit.rules.y.mode", "of"),
                        Map.of("ratelimit.rules.y.paths", "/{"),
                        Map.of("ratelimit.rules.y.key", "iq"),
                        Map.of(
                                "ratelimit.rules.java.requests",
                                5,
                                "ratelimit.rules.java.window",
                                "1h"))) {
            Map<String, Object> changes = new java.util.HashMap<>(mistake);
            changes.put("ratelimit.rules.x.paths", "/other");
            refresh(changes);
        }

        assertStatuses("/x", 200, 200, 200, 429);
        assertStatuses("/y", 200, 429);
        assertThat(output.getOut().lines().filter(line -> line.contains("RL-REFRESH"))).hasSize(6);
    }

    private static boolean refused(Mailer mailer) {
        try {
            mailer.send();
            return false;
        } catch (RateLimitExceededException e) {
            return true;
        }
    }

    /** Changes the environment to what it was at start and these properties. */
    private void refresh(Map<String, Object> changes) {
        var sources = application.getEnvironment().getPropertySources();
        sources.remove("changes");
        sources.addFirst(new MapPropertySource("changes", changes));
        application.publishEvent(new EnvironmentChangeEvent(application, changes.keySet()));
    }

    private void anHourLater() {
        application.getBean(ManualTimeSource.class).advance(Duration.ofHours(1));
    }

    private void assertStatuses(String path, Integer... statuses) {
        for (Integer status : statuses) {
            assertThat(mvc.get().uri(path)).hasStatus(status);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @Bean
        RateLimitConfigurer java() {
            return rules -> rules.rule("java").limit(1, 1, TimeUnit.HOURS);
        }

        @GetMapping({"/x", "/y", "/z", "/new", "/other"})
        String any() {
            return "ok";
        }
    }

    static class Mailer {

        @RateLimited("mail")
        void send() {}
    }
}
