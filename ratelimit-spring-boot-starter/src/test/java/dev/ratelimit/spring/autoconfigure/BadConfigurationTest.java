package dev.ratelimit.spring.autoconfigure;

import static dev.ratelimit.spring.autoconfigure.Contexts.failure;
import static dev.ratelimit.spring.autoconfigure.Contexts.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.ratelimit.spring.RateLimitConfigurer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Each mistake stops the start, and is explained: where it is, what it is, how to correct it. */
@ExtendWith(OutputCaptureExtension.class)
class BadConfigurationTest {

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakesInARule")
    void stops_the_start_and_says_where_what_and_how_to_correct_it(
            String rule, String property, String problem, String action) {
        String yaml = "ratelimit:\n  rules:\n    search:\n      " + rule.replace("; ", "\n      ");

        FailureAnalysis failure = failure(Contexts.plain(), yaml(yaml));

        assertThat(failure.getDescription()).contains("ratelimit.rules.search" + property, problem);
        assertThat(failure.getAction()).contains(action);
    }

    static Stream<Arguments> mistakesInARule() {
        return Stream.of(
                // A property that nobody reads, and one that is missing.
                arguments(
                        "requests: 5; windw: 7s",
                        ".windw",
                        "no property 'windw' below ratelimit.rules.search; it is set to '7s'. Did"
                                + " you mean 'window'?",
                        "window"),
                arguments("path: /a", ".path", "Did you mean 'paths'?", "exclude-paths"),
                arguments("modes: off", ".modes", "Did you mean 'mode'?", "Use some of paths"),
                arguments(
                        "limits: [{ requests: 5, windw: 7s }]",
                        ".limits[0].windw",
                        "below ratelimit.rules.search.limits[0]; it is set to '7s'. Did you mean"
                                + " 'window'?",
                        "Use some of requests, window, burst, strategy."),
                arguments("requests: 5", ".window", "not set", "window: 1m"),
                arguments("window: 1s", ".requests", "not set", "requests: 100"),
                arguments("paths: [/a]", ".requests", "not set", "requests: 100"),
                arguments("limits: [{ requests: 5 }]", ".limits[0].window", "not set", "window"),
                arguments(
                        "limits: [{ requests: 5, window: 1s }, { window: 1s }]",
                        ".limits[1].requests",
                        "not set",
                        "requests"),
                arguments("", "", "'', but has properties below it", "Set some of paths"),
                arguments("limits: 5", ".limits", "'5', but has properties", "requests, window"),
                arguments("limits: { requests: 5 }", ".limits.requests", "is a list", "limits[0]"),
                arguments("requests: { max: 5 }", ".requests.max", "single value", "Remove what"),
                // A number that is out of bounds, or none.
                arguments("requests: 0; window: 1s", ".requests", "1 to 1000000000: 0", "range"),
                arguments("requests: -3; window: 1s", ".requests", "-3", "range"),
                arguments("requests: 1000000001; window: 1s", ".requests", "1000000001", "range"),
                arguments("requests: many; window: 1s", ".requests", "'many'", "digits only"),
                arguments("requests: 1.5; window: 1s", ".requests", "'1.5'", "digits only"),
                arguments("requests:; window: 1s", ".requests", "''", "digits only"),
                arguments("requests: 5; window: 0s", ".window", "1 ms to 366 days: PT0S", "range"),
                arguments("requests: 5; window: 367d", ".window", "366 days: PT8808H", "range"),
                arguments("requests: 5; window: 999999999999999999d", ".window", "999", "1s"),
                arguments("requests: 5; window: PT-5S", ".window", "PT-5S", "range"),
                arguments(
                        "requests: 5; window: 1s; strategy: token-bucket; burst: 0",
                        ".burst",
                        "burst must be from 1 to 1000000000: 0",
                        "range"),
                arguments("requests: 5; window: 1s; permits: 0", ".permits", "least 1: 0", "1"),
                arguments("requests: 5; window: 1s; permits: -1", ".permits", "least 1: -1", "1"),
                arguments("requests: 5; window: 1s; permits: 1.5", ".permits", "'1.5'", "digits"),
                arguments("requests: 5; window: 1s; permits:", ".permits", "empty", "principal"),
                arguments("requests: 5; window: 1s; when: ' '", ".when", "is empty", "principal"),
                arguments("requests: 5; window: 1s; unless: ''", ".unless", "empty", "principal"),
                arguments(
                        "requests: 5; window: 1s; unless: ip = '::1'",
                        ".unless",
                        "'=' would set 'ip'; '==' compares",
                        "principal"),
                arguments(
                        "requests: 5; window: 1s; count-statuses: [401, 99999999999]",
                        ".count-statuses",
                        "No response has the status",
                        "401 and 403"),
                arguments("requests: 5; window: 1s; permits: x", ".permits", "no 'x'", "principal"),
                arguments(
                        "requests: 5; window: 1s; permits: 6",
                        ".permits",
                        "costs 6 permits, but a limit never has more than 5",
                        "at least 6"),
                // What does not go together.
                arguments(
                        "requests: 5; limits: [{ requests: 5, window: 1s }]",
                        ".requests",
                        "set to '5', and the rule has limits too",
                        "into the list under 'limits'"),
                arguments(
                        "burst: 5; limits: [{ requests: 5, window: 1s }]",
                        ".burst",
                        "set to '5'",
                        "into the list"),
                arguments(
                        "requests: 5; window: 1s; burst: 9",
                        ".burst",
                        "burst is 9, but strategy fixed-window has none",
                        "token-bucket"),
                arguments(
                        "requests: 10001; window: 1s; strategy: sliding-log",
                        ".requests",
                        "10001",
                        "another strategy"),
                // What is empty where it matters.
                arguments("requests: 5; window: 1s; key:", ".key", "no value", "counts by ip"),
                arguments("requests: 5; window: 1s; key: []", ".key", "no value", "remove it"),
                arguments("requests: 5; window: 1s; key: ' '", ".key", "The key ''", "key"),
                arguments("requests: 5; window: 1s; paths:", ".paths", "no value", "annotations"),
                arguments("requests: 5; window: 1s; paths: []", ".paths", "no value", "remove it"),
                arguments(
                        "requests: 5; window: 1s; paths: '${UNSET:}'",
                        ".paths",
                        "It is set, but has no value",
                        "a rule is for annotations and code only"),
                // Words that mean nothing.
                arguments(
                        "requests: 5; window: 1s; strategy: tokn-bucket",
                        ".strategy",
                        "no strategy 'tokn-bucket'. Did you mean 'token-bucket'?",
                        "fixed-window, token-bucket, sliding-window, sliding-log or the name of a"
                                + " RateLimitStrategy bean"),
                arguments("requests: 5; window: 1s; key: ipp", ".key", "'ipp'", "key"),
                arguments(
                        "requests: 5; window: 1s; methods: [get, fetch]",
                        ".methods",
                        "no HTTP method 'FETCH'",
                        "DELETE, GET"),
                arguments(
                        "requests: 5; window: 1s; paths: /a",
                        ".paths",
                        "'search' has paths [/a], but this is not a servlet web application",
                        "@RateLimited(\"search\")"));
    }

    @ParameterizedTest
    @CsvSource({"1 s", "1M", "1mo", "-5s", "''", "1.5s", "1S", "s", "5 minutes"})
    void a_window_that_is_no_length_of_time_is_refused_with_its_property_and_value(String window) {
        FailureAnalysis failure =
                failure(
                        Contexts.plain(),
                        yaml("ratelimit.rules.search: { requests: 5, window: '" + window + "' }"));

        assertThat(failure.getDescription())
                .contains("ratelimit.rules.search.window", "'" + window + "'");
        assertThat(failure.getAction()).contains("500ms, 1s, 5m, 1h or 1d");
    }

    @ParameterizedTest
    @CsvSource({
        "/api/**, /api/**",
        "'[/api/**]', /api/**",
        "Has Space, Has Space",
        "API, API",
        "myRule, myRule",
        "1st, 1st",
        "my_rule, my_rule",
        "a.b, a.b",
        "a.b.c, a.b"
    })
    void a_name_that_binding_would_change_is_refused_as_it_is_written(String name, String shown) {
        FailureAnalysis failure =
                failure(
                        Contexts.plain(),
                        yaml("ratelimit.rules:\n  \"" + name + "\": { requests: 5, window: 1s }"));

        assertThat(failure.getDescription() + failure.getAction()).contains("'" + shown + "'");
        assertThat(failure.getAction()).contains("[a-z][a-z0-9-]{0,63}", "under 'paths'");
    }

    @ParameterizedTest
    @CsvSource({
        "'/api/{id', /api/{id",
        "/**/a/{*b}/c, /**/a/{*b}/c",
        "/search?q=a, the query",
        "/search;sort=asc, has a ';'",
        "/search#top, has a '#'",
        "/caf%C3%A9, is encoded",
        "api, does not begin with"
    })
    void a_path_that_could_match_nothing_is_refused(String path, String problem) {
        FailureAnalysis failure =
                failure(
                        Contexts.web(),
                        yaml(
                                "ratelimit.rules.search: { paths: ['"
                                        + path
                                        + "'], requests: 5, window: 1s }"));

        assertThat(failure.getDescription())
                .contains("ratelimit.rules.search.paths[0]", "'" + path + "'", problem);
        assertThat(failure.getAction()).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({
        "path:tenannt, '{tenant}', Did you mean 'tenant'?",
        "'ip, path:id', '{tenant}', {id}",
        "'path: Tenant', '{tenant}', Did you mean 'tenant'?",
        "path:id, '{tenant:id}', {id}",
        "path:tenant, 'tenant', [/api/tenant/**]"
    })
    void a_path_variable_that_no_path_of_the_rule_has_is_refused(
            String key, String segment, String problem) {
        FailureAnalysis failure =
                failure(
                        Contexts.web(),
                        yaml(
                                "ratelimit.rules.search: { paths: '/api/%s/**', key: '%s', requests:"
                                                .formatted(segment, key)
                                        + " 5, window: 1s }"));

        assertThat(failure.getDescription())
                .contains(
                        "ratelimit.rules.search.key", "no path that the rule counts has", problem);
        assertThat(failure.getAction()).contains("for a part of a path");
    }

    @ParameterizedTest
    @CsvSource({
        "path:tenant, '/api/{tenant}/**'",
        "path:tenant, '/a/*, /api/{tenant}'",
        "path:tenant, '/api/{tenant:[a-z]{2}}'",
        "path:rest, '/api/{*rest}'",
        "'path:a, path:b', '/api/{a}/{b}'"
    })
    void a_path_variable_that_a_path_of_the_rule_has_is_a_key(String key, String paths) {
        Contexts.web()
                .withPropertyValues(
                        "ratelimit.rules.search.paths=" + paths,
                        "ratelimit.rules.search.key=" + key,
                        "ratelimit.rules.search.requests=5",
                        "ratelimit.rules.search.window=1s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_name_of_64_characters_is_the_longest() {
        String longest = "a".repeat(64);
        String yaml = "ratelimit.rules: { %s: { requests: 5, window: 1s } }";

        Contexts.plain()
                .withInitializer(yaml(yaml.formatted(longest)))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(failure(Contexts.plain(), yaml(yaml.formatted(longest + "a"))).getDescription())
                .contains("cannot be the name of a rule");
    }

    @Test
    void names_that_differ_in_dashes_only_are_refused_since_binding_mixes_them() {
        FailureAnalysis failure =
                failure(
                        Contexts.plain(),
                        yaml(
                                """
                                ratelimit.rules:
                                  my-rule: { requests: 5, window: 1s }
                                  myrule: { requests: 9, window: 1s }
                                """));

        assertThat(failure.getDescription()).contains("'my-rule'", "'myrule'");
        assertThat(failure.getAction()).contains("Rename");
    }

    @ParameterizedTest
    @CsvSource({
        "ratelimit.headrs.expose, true, headers",
        "ratelimit.in-memory.maxkey, 5, max-keys",
        "ratelimit.metrics.buckets-gauges, 5, bucket-gauges",
        "ratelimit.stores, redis, store",
        "ratelimit.headers.style, legacy, styles",
        "ratelimit.client-ip.trusted-proxy, 10.0.0.0/8, trusted-proxies",
        "ratelimit.redis.timeouts, 1s, timeout"
    })
    void an_unknown_property_outside_rules_is_refused(String name, String value, String known) {
        FailureAnalysis failure =
                failure(Contexts.plain().withPropertyValues(name + "=" + value), yaml(""));

        assertThat(failure.getDescription()).contains(name, "no property", "'" + value + "'");
        assertThat(failure.getDescription() + failure.getAction()).contains(known);
    }

    @Test
    void a_value_in_place_of_all_properties_is_refused() {
        FailureAnalysis failure = failure(Contexts.plain(), yaml("ratelimit: false\n"));

        assertThat(failure.getDescription()).contains("It is 'false', but has properties below it");
        assertThat(failure.getAction()).contains("enabled, store");
        Contexts.plain()
                .withInitializer(yaml("ratelimit:\n"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_misspelt_secret_is_not_shown() {
        FailureAnalysis failure =
                failure(Contexts.plain(), yaml("ratelimit.hash-secrt: hunter2\n"));

        assertThat(failure.getDescription()).contains("Did you mean 'hash-secret'?");

        FailureAnalysis nested =
                failure(Contexts.plain(), yaml("ratelimit.hash.secret: hunter2\n"));
        assertThat(nested.getDescription())
                .contains("no property 'hash'")
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "ratelimit.in-memory.max-keys, 0, at least 1",
        "ratelimit.client-ip.ipv6-prefix, 31, from 32 to 128",
        "ratelimit.client-ip.ipv6-prefix, 129, from 32 to 128",
        "ratelimit.metrics.bucket-gauges, -1, at least 0"
    })
    void a_number_outside_its_range_is_refused(String name, String value, String action) {
        FailureAnalysis failure =
                failure(Contexts.plain().withPropertyValues(name + "=" + value), yaml(""));

        assertThat(failure.getDescription()).contains(name, value);
        assertThat(failure.getAction()).contains(action);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/33, from 0 to 32",
        "10.0.0/8, does not begin with an address",
        "proxy.example.org, does not begin with an address",
        "all, does not begin with an address",
        "2001:db8::/129, from 0 to 128"
    })
    void a_trusted_proxy_that_is_no_network_is_refused(String network, String problem) {
        FailureAnalysis failure =
                failure(
                        Contexts.plain(),
                        yaml("ratelimit.client-ip.trusted-proxies: [ '::1', '" + network + "' ]"));

        assertThat(failure.getDescription())
                .contains(
                        "ratelimit.client-ip.trusted-proxies[1] (Byte array resource [application.yml of the test] - 1:47)",
                        "'" + network + "'",
                        problem);
        assertThat(failure.getAction()).contains("10.0.0.0/8", "203.0.113.9");
    }

    @ParameterizedTest
    @CsvSource({
        "ratelimit.store, reddis, IN_MEMORY",
        "'ratelimit.headers.styles[0]', legcy, DRAFT_11",
        "ratelimit.client-ip.header, X-Real-IP, FORWARDED",
        "ratelimit.client-ip.header, X-Forwarded-Fro, X_FORWARDED_FOR",
        "ratelimit.enabled, perhaps, ''"
    })
    void a_value_of_the_wrong_type_is_refused_with_those_that_are_valid(
            String name, String value, String valid) {
        FailureAnalysis failure =
                failure(Contexts.plain().withPropertyValues(name + "=" + value), yaml(""));

        assertThat(failure.getDescription()).contains(name, value);
        assertThat(failure.getAction()).contains(valid);
    }

    @ParameterizedTest
    @CsvSource({
        "RATELIMIT_RULES_SEARCH_WINDW, Did you mean 'window'?",
        "RATELIMIT_RULES_SEARCH, sets no property",
        "RATELIMIT_RULES_MY_RULE_REQUESTS, sets no property"
    })
    void a_variable_that_sets_nothing_in_a_rule_is_refused(String variable, String problem) {
        FailureAnalysis failure =
                failure(
                        Contexts.plain(),
                        context ->
                                context.getEnvironment()
                                        .getPropertySources()
                                        .addFirst(
                                                new SystemEnvironmentPropertySource(
                                                        "test-systemEnvironment",
                                                        Map.of(variable, "5"))));

        assertThat(failure.getDescription()).contains(variable, problem);
        assertThat(failure.getAction()).contains("RATELIMIT_RULES_<NAME>_<PROPERTY>", "window");
    }

    @Test
    void tells_the_line_of_a_mistake() {
        FailureAnalysis name =
                failure(
                        Contexts.plain(),
                        yaml("ratelimit:\n  rules:\n    \"/api/**\":\n      requests: 5\n"));
        FailureAnalysis value =
                failure(
                        Contexts.plain(),
                        yaml("ratelimit:\n  rules:\n    search: { requests: 5, window: 1M }\n"));

        assertThat(name.getDescription()).contains("application.yml of the test] - 4:17");
        assertThat(value.getDescription()).contains("application.yml of the test] - 3:36");
    }

    @Test
    void a_rule_in_properties_and_one_in_java_cannot_have_one_name() {
        RateLimitConfigurer configurer =
                rules -> rules.rule("search").limit(5, 1, TimeUnit.SECONDS);

        FailureAnalysis failure =
                failure(
                        Contexts.plain()
                                .withBean("ours", RateLimitConfigurer.class, () -> configurer),
                        yaml("ratelimit.rules.search: { requests: 5, window: 1s }"));

        assertThat(failure.getDescription())
                .contains("rule 'search' of RateLimitConfigurer 'ours'", "ratelimit.rules.search");
        assertThat(failure.getAction()).contains("Rename");
    }

    @Test
    void rules_are_checked_at_the_start_of_an_application_whose_beans_are_lazy() {
        FailureAnalysis failure =
                failure(
                        new ApplicationContextRunner()
                                .withConfiguration(
                                        AutoConfigurations.of(RateLimitAutoConfiguration.class))
                                .withInitializer(
                                        context ->
                                                context.addBeanFactoryPostProcessor(
                                                        new LazyInitializationBeanFactoryPostProcessor())),
                        yaml("ratelimit.rules.search: { requests: 0, window: 1s }"));

        assertThat(failure.getDescription()).contains("ratelimit.rules.search.requests");
    }

    @Test
    void spring_boot_prints_the_explanation_in_place_of_a_stack_trace(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        assertThatException()
                .isThrownBy(
                        () ->
                                application.run(
                                        "--ratelimit.rules.search.requests=0",
                                        "--ratelimit.rules.search.window=1s"));

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "ratelimit.rules.search.requests (\"ratelimit.rules.search.requests\" from"
                                + " property source \"commandLineArgs\")",
                        "requests must be from 1 to 1000000000: 0.",
                        "Action:",
                        "Set it to a value in this range.")
                .doesNotContain("InvalidRuleException");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
