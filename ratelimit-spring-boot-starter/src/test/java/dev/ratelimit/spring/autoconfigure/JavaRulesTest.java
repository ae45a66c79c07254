package dev.ratelimit.spring.autoconfigure;

import static dev.ratelimit.spring.autoconfigure.Contexts.failure;
import static dev.ratelimit.spring.autoconfigure.Contexts.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.ratelimit.Bucket;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.spring.RateLimitConfigurer;
import dev.ratelimit.spring.RateLimitRules;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleSource;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Rules that {@link RateLimitConfigurer} beans declare. */
class JavaRulesTest {

    @Test
    void the_short_form_is_a_fixed_window_for_a_key_on_a_path() {
        RuleDefinition search =
                declare(
                        rules ->
                                rules.rule("search")
                                        .path("/api/**")
                                        .limit("ip", 100, 1, TimeUnit.SECONDS));

        assertThat(search.source()).isEqualTo(RuleSource.JAVA);
        assertThat(search.requests().paths()).containsExactly("/api/**");
        assertThat(search.key()).containsExactly("ip");
        assertThat(search.limits())
                .extracting(limit -> limit.limit().config(), limit -> limit.strategy())
                .containsExactly(tuple(LimitConfig.of(100, Duration.ofSeconds(1)), "fixed-window"));
    }

    @Test
    void a_rule_has_all_that_is_said_of_it() {
        RateLimitStrategy own = new Own();
        RuleDefinition search =
                declare(
                        rules ->
                                rules.rule("search")
                                        .path("/a", "/b")
                                        .path("/c")
                                        .excludePath("/a/b")
                                        .method("get")
                                        .key("ip", "user")
                                        .permits(2)
                                        .limit(3, 1, TimeUnit.MINUTES)
                                        .limit(4, 1, TimeUnit.HOURS, LimitStrategy.SLIDING_LOG)
                                        .limit(
                                                LimitConfig.of(5, Duration.ofDays(1)).withBurst(9),
                                                LimitStrategy.TOKEN_BUCKET.create())
                                        .limit(LimitConfig.of(6, Duration.ofDays(2)), own));

        assertThat(search.requests().paths()).containsExactly("/a", "/b", "/c");
        assertThat(search.requests().excludePaths()).containsExactly("/a/b");
        assertThat(search.requests().methods()).containsExactly("GET");
        assertThat(search.key()).containsExactly("ip", "user");
        assertThat(search.permits().constant()).hasValue(2);
        assertThat(search.limits())
                .extracting(limit -> limit.limit().config().toString(), limit -> limit.strategy())
                .containsExactly(
                        tuple("3 per PT1M", "fixed-window"),
                        tuple("4 per PT1H", "sliding-log"),
                        tuple("5 per PT24H, burst 9", "token-bucket"),
                        tuple("6 per PT48H", "Own"));
        assertThat(search.limits().get(3).limit().strategy()).isSameAs(own);
    }

    @Test
    void all_limits_of_a_rule_can_name_its_one_key() {
        RuleDefinition search =
                declare(
                        rules ->
                                rules.rule("search")
                                        .limit("user", 3, 1, TimeUnit.MINUTES)
                                        .limit(
                                                "user",
                                                4,
                                                1,
                                                TimeUnit.HOURS,
                                                LimitStrategy.TOKEN_BUCKET));

        assertThat(search.key()).containsExactly("user");
        assertThat(search.limits()).hasSize(2);
    }

    @Test
    void a_strategy_that_is_a_bean_is_called_by_its_name() {
        RateLimitStrategy strategy = new Own();
        Contexts.plain()
                .withBean("mine", RateLimitStrategy.class, () -> strategy)
                .withBean(
                        RateLimitConfigurer.class,
                        () ->
                                rules ->
                                        rules.rule("search")
                                                .limit(
                                                        LimitConfig.of(6, Duration.ofDays(2)),
                                                        strategy))
                .run(
                        context ->
                                assertThat(
                                                context.getBean(Rules.class)
                                                        .find("search")
                                                        .definition()
                                                        .limits()
                                                        .get(0)
                                                        .strategy())
                                        .isEqualTo("mine"));
    }

    @Test
    void rules_come_from_every_configurer_and_from_properties() {
        Contexts.plain()
                .withBean("one", RateLimitConfigurer.class, () -> rules -> limited(rules, "a"))
                .withBean("two", RateLimitConfigurer.class, () -> rules -> limited(rules, "b"))
                .withInitializer(yaml("ratelimit.rules.c: { requests: 5, window: 1s }"))
                .run(
                        context ->
                                assertThat(context.getBean(Rules.class).all())
                                        .extracting(Rule::name)
                                        .containsExactly("a", "b", "c"));
    }

    private static void limited(RateLimitRules rules, String name) {
        rules.rule(name).limit(5, 1, TimeUnit.SECONDS);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("mistakes")
    void stops_the_start_and_says_where_what_and_how_to_correct_it(
            Consumer<RateLimitRules> configurer, String where, String problem, String action) {
        FailureAnalysis failure =
                failure(
                        Contexts.plain()
                                .withBean(
                                        "ours",
                                        RateLimitConfigurer.class,
                                        () -> configurer::accept),
                        yaml(""));

        assertThat(failure.getDescription())
                .contains(where + " of RateLimitConfigurer 'ours'", problem);
        assertThat(failure.getAction()).contains(action);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(r -> r.rule("search"), "rule 'search'", "has no limit", "at least one"),
                mistake(
                        r -> limited(r, "/api/**"),
                        "rule '/api/**'",
                        "cannot be the name",
                        "[a-z][a-z0-9-]{0,63}"),
                mistake(
                        r -> {
                            limited(r, "a");
                            limited(r, "a");
                        },
                        "rule 'a'",
                        "a rule named 'a' already",
                        "Rename"),
                mistake(
                        r -> r.rule("a").limit(0, 1, TimeUnit.SECONDS),
                        "requests of rule 'a'",
                        "1 to 1000000000: 0",
                        "range"),
                mistake(
                        r -> r.rule("a").limit(5, Long.MAX_VALUE, TimeUnit.DAYS),
                        "window of rule 'a'",
                        "1 ms to 366 days",
                        "range"),
                mistake(
                        r -> r.rule("a").limit(10_001, 1, TimeUnit.DAYS, LimitStrategy.SLIDING_LOG),
                        "requests of rule 'a'",
                        "10001",
                        "another strategy"),
                mistake(
                        r ->
                                r.rule("a")
                                        .limit(
                                                LimitConfig.of(5, Duration.ofDays(1)).withBurst(9),
                                                LimitStrategy.FIXED_WINDOW.create()),
                        "requests of rule 'a'",
                        "burst",
                        "another strategy"),
                mistake(
                        r ->
                                r.rule("a")
                                        .limit("ip", 5, 1, TimeUnit.DAYS)
                                        .limit("user", 9, 1, TimeUnit.DAYS),
                        "key of rule 'a'",
                        "The key is [ip] already, and cannot be [user] too",
                        "one rule for each key"),
                mistake(
                        r -> r.rule("a").limit("ipp", 5, 1, TimeUnit.DAYS),
                        "key of rule 'a'",
                        "'ipp'",
                        "key"),
                mistake(
                        r -> r.rule("a").method("FETCH").limit(5, 1, TimeUnit.DAYS),
                        "methods of rule 'a'",
                        "'FETCH'",
                        "GET"),
                mistake(
                        r -> r.rule("a").permits(0).limit(5, 1, TimeUnit.DAYS),
                        "permits of rule 'a'",
                        "at least 1: 0",
                        "1 is the default"),
                mistake(
                        r -> r.rule("a").permits(-1).limit(5, 1, TimeUnit.DAYS),
                        "permits of rule 'a'",
                        "at least 1: -1",
                        "1 is the default"),
                mistake(
                        r -> r.rule("a").countStatus(401, 4).limit(5, 1, TimeUnit.DAYS),
                        "count-statuses of rule 'a'",
                        "No response has the status 4",
                        "401 and 403"),
                mistake(
                        r -> r.rule("a").permits(6).limit(5, 1, TimeUnit.DAYS),
                        "permits of rule 'a'",
                        "costs 6 permits",
                        "at least 6"),
                mistake(
                        r -> r.rule("a").path("/a").limit(5, 1, TimeUnit.DAYS),
                        "paths of rule 'a'",
                        "not a servlet web application",
                        "Remove the paths"));
    }

    private static Arguments mistake(
            Consumer<RateLimitRules> configurer, String where, String problem, String action) {
        return arguments(configurer, where, problem, action);
    }

    private static RuleDefinition declare(RateLimitConfigurer configurer) {
        RuleDefinition[] definition = new RuleDefinition[1];
        Contexts.web()
                .withBean(RateLimitConfigurer.class, () -> configurer)
                .run(
                        context ->
                                definition[0] =
                                        context.getBean(Rules.class).find("search").definition());
        return definition[0];
    }

    private static final class Own implements RateLimitStrategy {

        @Override
        public boolean check(
                Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
            return false;
        }
    }
}
