package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.rule.Rules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.FilteredClassLoader;

/** The context starts with and without each optional library. */
class ConditionsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jakarta.servlet",
                "org.springframework.web,jakarta.servlet,org.springframework.boot.actuate,io.micrometer"
            })
    void starts_without_an_optional_library(String packages) {
        Contexts.plain()
                .withClassLoader(new FilteredClassLoader(packages.split(",")))
                .withPropertyValues(
                        "ratelimit.rules.search.requests=1", "ratelimit.rules.search.window=1m")
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            RateLimiters limiters = context.getBean(RateLimiters.class);
                            assertThat(limiters.get("search").tryAcquire("a").allowed()).isTrue();
                            assertThat(limiters.get("search").tryAcquire("a").allowed()).isFalse();
                        });
    }

    @Test
    void a_web_application_can_have_rules_with_paths() {
        Contexts.web()
                .withPropertyValues(
                        "ratelimit.rules.search.paths=/api/**",
                        "ratelimit.rules.search.requests=1",
                        "ratelimit.rules.search.window=1m")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void gives_way_to_beans_of_the_application() {
        TimeSource time = () -> 42;
        Contexts.plain()
                .withBean("ours", TimeSource.class, () -> time)
                .run(
                        context -> {
                            assertThat(context.getBean(TimeSource.class)).isSameAs(time);
                            assertThat(context).hasSingleBean(RateLimitStore.class);
                            assertThat(context).hasSingleBean(Rules.class);
                        });
    }
}
