package dev.ratelimit.spring.autoconfigure;

import static dev.ratelimit.spring.autoconfigure.Contexts.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimitConfigurer;
import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.RateLimiters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.web.bind.annotation.RestController;

/** What starts, and is said to be doubtful. */
@ExtendWith(OutputCaptureExtension.class)
class RuleDoubtsTest {

    private static final String UNUSED = "RL-UNUSED-RULE: ";
    private static final String CHOSEN = "RL-CLIENT-CHOSEN-KEY: ";

    @Test
    void aRuleThatNothingUsesIsLoggedOnce(CapturedOutput output) {
        Contexts.web()
                .withInitializer(yaml("ratelimit.rules.mail: { requests: 3, window: 1h }"))
                .run(context -> context.publishEvent(new ContextRefreshedEvent(context)));

        assertThat(output)
                .containsOnlyOnce(UNUSED)
                .contains("WARN", "'mail' (ratelimit.rules.mail)", "Give it paths");
    }

    @Test
    void aRuleInJavaThatNothingUsesIsLogged(CapturedOutput output) {
        Contexts.plain()
                .withBean(
                        "ours",
                        RateLimitConfigurer.class,
                        () -> rules -> rules.rule("mail").limit("ip", 3, 1, TimeUnit.HOURS))
                .run(context -> {});

        assertThat(output).containsOnlyOnce(UNUSED).contains("RateLimitConfigurer 'ours'");
    }

    @Test
    void aRuleIsUsedThatHasPathsOrIsNamedOrAskedFor(CapturedOutput output) {
        WebApplicationContextRunner runner =
                Contexts.web()
                        .withBean(Handlers.class)
                        .withBean(Service.class)
                        .withBean(Mailer.class)
                        .withInitializer(
                                yaml(
                                        """
                                        ratelimit.rules:
                                          with-paths: { paths: /a, requests: 3, window: 1h }
                                          on-handler: { requests: 3, window: 1h }
                                          on-service: { requests: 3, window: 1h }
                                          mail: { requests: 3, window: 1h }
                                        """));
        runner.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(UNUSED);

        runner.withInitializer(
                        context ->
                                context.addBeanFactoryPostProcessor(
                                        new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context).hasNotFailed());
        // Who asks for it does not exist yet.
        assertThat(output).containsOnlyOnce(UNUSED).contains("rate limit 'mail'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "header:X-Api-Key",
                "cookie:id",
                "query:tenant",
                "path:id",
                "header:X-Api-Key, cookie:id"
            })
    void aKeyThatTheClientChoosesIsLogged(String key, CapturedOutput output) {
        start("keyed: { paths: '/a/{id}', key: '" + key + "', requests: 3, window: 1h }");

        assertThat(output)
                .containsOnlyOnce(CHOSEN)
                .contains("WARN", "'keyed' (ratelimit.rules.keyed)", key, "ip")
                .doesNotContain(UNUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "user", "global", "session", "ip, header:X-Api-Key"})
    void aKeyThatTheClientDoesNotChooseIsNot(String key, CapturedOutput output) {
        start("keyed: { paths: '/a/{id}', key: '" + key + "', requests: 3, window: 1h }");

        assertThat(output).doesNotContain("RL-");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "paths: [/a, /b]; true",
                "paths: '/**'; true",
                "paths: [/a, /b, /c], key: user; true",
                "paths: [/a, /b], methods: [GET, POST]; true",
                "paths: [/a, /b], exclude-paths: /b/c; true",
                "paths: /a; false",
                "paths: [/a, /b], methods: POST; false",
                "paths: [/a, /b], exclude-paths: /a; false",
                "paths: [/a, /b], key: 'cookie:id'; false"
            })
    void whereAnotherRuleLimitsTheSameRequestsAllIsWell(
            String other, boolean covered, CapturedOutput output) {
        start(
                """
                keyed:
                    paths: [/a, /b]
                    exclude-paths: /b/c
                    methods: GET
                    key: 'header:X-Api-Key'
                    requests: 3
                    window: 1h
                  other: { %s, requests: 30, window: 1h }
                """
                        .formatted(other));

        assertThat(output.getOut().contains("The rate limit 'keyed'")).isEqualTo(!covered);
    }

    @Test
    void annotationsAreDoubtedToo(CapturedOutput output) {
        Contexts.web().withBean(Keyed.class).run(context -> assertThat(context).hasNotFailed());

        assertThat(output).containsOnlyOnce(CHOSEN).contains("Keyed.alone()");
    }

    @Test
    void theRemedyInTheDocumentWorks(CapturedOutput output) throws IOException {
        String document = Files.readString(Path.of("../docs/diagnostics.md"));
        String remedy = document.split("```yaml\n")[1].split("```")[0];

        Contexts.web()
                .withInitializer(yaml(remedy))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("by header:X-Api-Key").doesNotContain("RL-");
    }

    @ParameterizedTest
    @CsvSource({
        "header:X-Plan, ratelimit.enabled=true, true",
        "header:X-Plan, ratelimit.client-ip.trusted-proxies=10.0.0.1, false",
        "bean:planOf, ratelimit.enabled=true, false"
    })
    void aPlanThatIsNeverBelievedIsLogged(
            String plan, String property, boolean logged, CapturedOutput output) {
        Contexts.web()
                .withBean("planOf", RateLimitKeyResolver.class, () -> request -> null)
                .withPropertyValues(property)
                .withInitializer(
                        yaml(
                                """
                                ratelimit.rules:
                                  planned:
                                    paths: /a
                                    requests: 3
                                    window: 1h
                                    plan: '%s'
                                    plans: { gold: { requests: 30 } }
                                """
                                        .formatted(plan)))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.toString().contains("RL-UNTRUSTED-PLAN")).isEqualTo(logged);
    }

    private static void start(String rules) {
        Contexts.web()
                .withInitializer(yaml("ratelimit.rules:\n  " + rules))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @RestController
    static class Handlers {

        @RateLimited("on-handler")
        String handle() {
            return "ok";
        }
    }

    static class Service {

        @RateLimited("on-service")
        public void serve() {}
    }

    static class Mailer {

        Mailer(RateLimiters limiters) {
            limiters.get("mail");
        }
    }

    static class Keyed {

        @RateLimited(requests = 3, key = "header:X-Api-Key")
        public void alone() {}

        @RateLimited(requests = 3, key = "header:X-Api-Key")
        @RateLimited(requests = 30)
        public void byAddressToo() {}
    }
}
