package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.InvalidRuleException;
import org.junit.jupiter.api.Test;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

class HandlerVariablesTest {

    private static void assertFails(Class<?> controller, String... texts) {
        Contexts.web()
                .withUserConfiguration(Mvc.class)
                .withBean(controller)
                .withPropertyValues(
                        "ratelimit.rules.named.requests=3",
                        "ratelimit.rules.named.window=1m",
                        "ratelimit.rules.named.key=path:id")
                .run(
                        context ->
                                assertThat(
                                                NestedExceptionUtils.getMostSpecificCause(
                                                        context.getStartupFailure()))
                                        .isInstanceOf(InvalidRuleException.class)
                                        .hasMessageContainingAll(texts));
    }

    @Test
    void aVariableThatThePathOfTheMethodDoesNotHaveStopsTheStart() {
        assertFails(
                Misspelt.class, "path:usrId", "Did you mean 'userId'?", "@RateLimited", "Misspelt");
    }

    @Test
    void soDoesOneOfANamedRule() {
        assertFails(Named.class, "ratelimit.rules.named.key", "path:id", "/items/{item}");
    }

    @Test
    void aVariableOfOneOfTheMethodsOrOfTheTypeIsEnough() {
        Contexts.web()
                .withUserConfiguration(Mvc.class)
                .withBean(OfType.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @EnableWebMvc
    static class Mvc {}

    @RestController
    static class Misspelt {

        @GetMapping("/users/{userId}")
        @RateLimited(requests = 3, key = "path:usrId")
        public String user() {
            return "user";
        }
    }

    @RestController
    static class Named {

        @GetMapping("/items/{item}")
        @RateLimited("named")
        public String item() {
            return "item";
        }
    }

    @RestController
    @RequestMapping("/tenants/{tenant}")
    @RateLimited(
            requests = 3,
            key = {"path:tenant", "path:user"})
    static class OfType {

        @GetMapping
        public String tenant() {
            return "tenant";
        }

        @GetMapping("/users/{user}")
        public String user() {
            return "user";
        }
    }
}
