package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.HeaderStyle;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What docs/configuration.md says is so. */
class ConfigurationDocumentTest {

    private static String document;

    @BeforeAll
    static void read() throws IOException {
        document = Files.readString(Path.of("../docs/configuration.md"));
    }

    @Test
    void its_example_starts_and_means_what_its_comments_say() {
        Contexts.web()
                .withInitializer(Contexts.yaml(yaml().get(0)))
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            Rules rules = context.getBean(Rules.class);
                            assertThat(rules.all())
                                    .extracting(Rule::name)
                                    .containsExactly("login", "mail", "reports", "search");
                            assertThat(rules.find("login").limits().limits()).hasSize(2);
                            assertThat(rules.find("reports").definition().permits().constant())
                                    .hasValue(5);
                            assertThat(rules.find("mail").definition().requests().paths())
                                    .isEmpty();
                            assertThat(
                                            context.getBean(RateLimitProperties.class)
                                                    .headers()
                                                    .styles())
                                    .containsExactly(HeaderStyle.LEGACY, HeaderStyle.DRAFT_11);
                        });
    }

    @Test
    void an_application_starts_with_each_of_its_examples() {
        assertThat(yaml()).hasSizeGreaterThan(1);
        for (String example : yaml()) {
            Contexts.web()
                    .withInitializer(Contexts.yaml(example))
                    .withBean("planOf", RateLimitKeyResolver.class, () -> request -> null)
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    private static List<String> yaml() {
        return Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL)
                .matcher(document)
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    @Test
    void names_every_property_and_no_other() {
        assertThat(firstColumn("Properties of a rule"))
                .containsExactlyInAnyOrderElementsOf(
                        PropertySchema.names(RateLimitProperties.RuleProperties.class));
        assertThat(firstColumn("Properties under `ratelimit`"))
                .containsExactly(
                        "enabled",
                        "store",
                        "headers.styles",
                        "headers.expose",
                        "client-ip.trusted-proxies",
                        "client-ip.header",
                        "client-ip.ipv6-prefix",
                        "hash-secret",
                        "in-memory.max-keys",
                        "redis.key-prefix",
                        "redis.timeout",
                        "redis.on-failure",
                        "metrics.bucket-gauges",
                        "method.order",
                        "rules.NAME");
    }

    /** What is in backticks in the first column of the table under a heading. */
    private static List<String> firstColumn(String heading) {
        int start = document.indexOf("## " + heading + "\n");
        assertThat(start).as(heading).isNotNegative();
        int end = document.indexOf("\n#", start + 3);
        return Pattern.compile("(?m)^\\| (`[^|]+) \\|")
                .matcher(document.substring(start, end))
                .results()
                .map((MatchResult result) -> result.group(1).replaceAll("`|\\.PLAN", ""))
                .flatMap(names -> Stream.of(names.split(", ")))
                .toList();
    }
}
