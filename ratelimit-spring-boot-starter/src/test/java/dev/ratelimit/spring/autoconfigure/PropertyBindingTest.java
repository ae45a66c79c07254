package dev.ratelimit.spring.autoconfigure;

import static dev.ratelimit.spring.autoconfigure.Contexts.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ratelimit.Bucket;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.HeaderStyle;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimit;
import dev.ratelimit.spring.rule.RuleSource;
import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.ForwardedHeader;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;

@ExtendWith(OutputCaptureExtension.class)
class PropertyBindingTest {

    @Test
    void a_rule_has_all_that_is_written_in_it() {
        String yaml =
                """
                ratelimit.rules:
                  search:
                    paths: [/api/search/**, /api/find]
                    exclude-paths: [/api/search/health]
                    methods: [get, POST]
                    key: [ip, "header:X-Api-Key"]
                    strategy: token-bucket
                    requests: 100
                    window: 1m
                    burst: 200
                    permits: 3
                """;

        web(
                yaml,
                rules -> {
                    RuleDefinition search = rule(rules, "search").definition();
                    assertThat(search.source()).isEqualTo(RuleSource.PROPERTIES);
                    assertThat(search.where()).isEqualTo("ratelimit.rules.search");
                    assertThat(search.displayName()).isEqualTo("search");
                    assertThat(search.requests().paths())
                            .containsExactly("/api/search/**", "/api/find");
                    assertThat(search.requests().excludePaths())
                            .containsExactly("/api/search/health");
                    assertThat(search.requests().methods()).containsExactly("GET", "POST");
                    assertThat(search.key()).containsExactly("ip", "header:X-Api-Key");
                    assertThat(search.permits().constant()).hasValue(3);
                    RuleLimit limit = search.limits().get(0);
                    assertThat(search.limits()).hasSize(1);
                    assertThat(limit.strategy()).isEqualTo("token-bucket");
                    assertThat(limit.limit().config())
                            .isEqualTo(LimitConfig.of(100, Duration.ofMinutes(1)).withBurst(200));
                });
    }

    @Test
    void a_rule_needs_requests_and_a_window_only() {
        web(
                "ratelimit.rules.search: { requests: 5, window: 1s }",
                rules -> {
                    RuleDefinition search = rule(rules, "search").definition();
                    assertThat(search.requests().paths()).isEmpty();
                    assertThat(search.requests().methods()).isEmpty();
                    assertThat(search.key()).isEmpty();
                    assertThat(search.permits().constant()).hasValue(1);
                    assertThat(search.limits().get(0).strategy()).isEqualTo("fixed-window");
                    assertThat(search.limits().get(0).limit().config())
                            .isEqualTo(LimitConfig.of(5, Duration.ofSeconds(1)));
                });
    }

    @Test
    void lists_can_be_written_with_commas_and_a_single_value_without_a_list() {
        web(
                "ratelimit.rules.search: { paths: '/a, /b', methods: get, key: ip, requests: 5,"
                        + " window: 1s }",
                rules -> {
                    RuleDefinition search = rule(rules, "search").definition();
                    assertThat(search.requests().paths()).containsExactly("/a", "/b");
                    assertThat(search.requests().methods()).containsExactly("GET");
                    assertThat(search.key()).containsExactly("ip");
                });
    }

    @Test
    void several_limits_keep_their_order_and_take_the_strategy_of_the_rule() {
        String yaml =
                """
                ratelimit.rules.login:
                  strategy: sliding-window
                  limits:
                    - { requests: 5, window: 1m }
                    - { requests: 50, window: 1d, strategy: sliding-log }
                    - { requests: 9, window: 1h, strategy: token-bucket, burst: 2 }
                """;

        web(
                yaml,
                rules ->
                        assertThat(rule(rules, "login").definition().limits())
                                .extracting(
                                        limit -> limit.limit().config().toString(),
                                        RuleLimit::strategy)
                                .containsExactly(
                                        tuple("5 per PT1M", "sliding-window"),
                                        tuple("50 per PT24H", "sliding-log"),
                                        tuple("9 per PT1H, burst 2", "token-bucket")));
    }

    @ParameterizedTest
    @CsvSource({
        "1s, PT1S",
        "1000ms, PT1S",
        "PT1S, PT1S",
        "pt1s, PT1S",
        "1m, PT1M",
        "1h, PT1H",
        "1d, PT24H",
        "P1D, PT24H",
        "60, PT1M",
        "1, PT1S",
        "' 5s ', PT5S",
        "1ms, PT0.001S",
        "1500us, PT0.0015S",
        "366d, PT8784H"
    })
    void a_window_is_what_it_says_and_a_bare_number_is_seconds(String written, Duration expected) {
        web(
                "ratelimit.rules.search: { requests: 5, window: '" + written + "' }",
                rules -> assertThat(windowNanos(rules)).isEqualTo(expected.toNanos()));
    }

    @Test
    void a_bare_number_in_yaml_is_seconds_too() {
        web(
                "ratelimit.rules.search: { requests: 5, window: 60 }",
                rules -> assertThat(windowNanos(rules)).isEqualTo(60_000_000_000L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "TOKEN_BUCKET", "tokenBucket", "Token-Bucket"})
    void a_strategy_can_be_spelled_in_the_usual_ways(String strategy) {
        web(
                "ratelimit.rules.search: { requests: 5, window: 1s, burst: 9, strategy: "
                        + strategy
                        + " }",
                rules ->
                        assertThat(rule(rules, "search").definition().limits().get(0).strategy())
                                .isEqualTo("token-bucket"));
    }

    @Test
    void a_strategy_can_be_a_bean() {
        RateLimitStrategy strategy = new NothingPasses();
        Contexts.plain()
                .withBean("nothingPasses", RateLimitStrategy.class, () -> strategy)
                .withInitializer(
                        yaml(
                                "ratelimit.rules.search: { requests: 5, window: 1s, burst: 9,"
                                        + " strategy: nothingPasses }"))
                .run(
                        context -> {
                            RuleLimit limit =
                                    rule(context.getBean(Rules.class), "search")
                                            .definition()
                                            .limits()
                                            .get(0);
                            assertThat(limit.limit().strategy()).isSameAs(strategy);
                            assertThat(limit.strategy()).isEqualTo("nothingPasses");
                        });
    }

    @Test
    void a_bean_cannot_take_the_name_of_a_built_in_strategy() {
        assertThat(
                        Contexts.failure(
                                        Contexts.plain()
                                                .withBean(
                                                        "tokenBucket",
                                                        RateLimitStrategy.class,
                                                        NothingPasses::new),
                                        yaml(
                                                "ratelimit.rules.search: { requests: 5, window:"
                                                        + " 1s, strategy: tokenBucket }"))
                                .getDescription())
                .contains(
                        "ratelimit.rules.search.strategy", "'tokenBucket' is a built-in strategy");
    }

    @Test
    void properties_can_be_in_camel_case() {
        web(
                "rateLimit: { inMemory: { maxKeys: 7 }, headers: { styles: 'legacy,draft-11' },"
                        + " rules: { search: { paths: /a, excludePaths: /a/b, requests: 5,"
                        + " window: 1s } } }",
                rules -> {
                    assertThat(rule(rules, "search").definition().requests().excludePaths())
                            .containsExactly("/a/b");
                    assertThat(rule(rules, "search").limits().maxKeys()).isEqualTo(7);
                });
    }

    @Test
    void properties_have_their_defaults() {
        Contexts.plain()
                .run(
                        context -> {
                            RateLimitProperties properties =
                                    context.getBean(RateLimitProperties.class);
                            assertThat(properties.enabled()).isTrue();
                            assertThat(properties.store())
                                    .isEqualTo(RateLimitProperties.Store.IN_MEMORY);
                            assertThat(properties.headers().styles())
                                    .containsExactly(HeaderStyle.LEGACY);
                            assertThat(properties.headers().expose()).isFalse();
                            assertThat(properties.clientIp().trustedProxies()).isEmpty();
                            assertThat(properties.clientIp().header())
                                    .isEqualTo(ForwardedHeader.X_FORWARDED_FOR);
                            assertThat(properties.clientIp().ipv6Prefix()).isEqualTo(64);
                            assertThat(properties.hashSecret()).isNull();
                            assertThat(properties.inMemory().maxKeys()).isEqualTo(100_000);
                            assertThat(properties.metrics().bucketGauges()).isEqualTo(10);
                            assertThat(properties.rules()).isEmpty();
                            assertThat(context.getBean(Rules.class).all()).isEmpty();
                        });
    }

    @ParameterizedTest
    @CsvSource({
        "X-Forwarded-For, X_FORWARDED_FOR",
        "x-forwarded-for, X_FORWARDED_FOR",
        "'', X_FORWARDED_FOR",
        "Forwarded, FORWARDED",
        "forwarded, FORWARDED"
    })
    void the_forwarded_header_is_written_as_it_is_sent(String written, ForwardedHeader header) {
        Contexts.plain()
                .withInitializer(yaml("ratelimit.client-ip.header: '" + written + "'"))
                .run(
                        context ->
                                assertThat(
                                                context.getBean(RateLimitProperties.class)
                                                        .clientIp()
                                                        .header())
                                        .isEqualTo(header));
    }

    @Test
    void no_header_styles_is_written_as_an_empty_list() {
        Contexts.plain()
                .withInitializer(yaml("ratelimit.headers.styles: []"))
                .run(
                        context ->
                                assertThat(
                                                context.getBean(RateLimitProperties.class)
                                                        .headers()
                                                        .styles())
                                        .isEmpty());
    }

    @Test
    void environment_variables_declare_rules_and_change_those_of_the_file() {
        Map<String, Object> variables =
                Map.of(
                        "RATELIMIT_RULES_LOGIN_REQUESTS", "5",
                        "RATELIMIT_RULES_LOGIN_WINDOW", "1m",
                        "RATELIMIT_RULES_MYRULE_REQUESTS", "70",
                        "RATELIMIT_RULES_MY_RULE_EXCLUDE_PATHS", "/a/b",
                        "RATELIMIT_RULES_LISTED_LIMITS_0_REQUESTS", "7",
                        "RATELIMIT_RULES_LISTED_LIMITS_0_WINDOW", "1h",
                        "RATELIMIT_INMEMORY_MAXKEYS", "77",
                        // What a container platform sets for a service named ratelimit.
                        "RATELIMIT_PORT", "tcp://10.0.0.1:80",
                        "RATELIMIT_SERVICE_HOST", "10.0.0.1");
        Contexts.web()
                .withInitializer(
                        yaml("ratelimit.rules.my-rule: { paths: /a, requests: 5, window: 1s }"))
                .withInitializer(
                        context ->
                                context.getEnvironment()
                                        .getPropertySources()
                                        .addFirst(
                                                new SystemEnvironmentPropertySource(
                                                        "test-systemEnvironment", variables)))
                .run(
                        context -> {
                            Rules rules = context.getBean(Rules.class);
                            assertThat(rules.all())
                                    .extracting(Rule::name)
                                    .containsExactly("listed", "login", "my-rule");
                            Rule mine = rule(rules, "my-rule");
                            assertThat(mine.definition().requests().excludePaths())
                                    .containsExactly("/a/b");
                            assertThat(config(mine).requests()).isEqualTo(70);
                            assertThat(config(mine).windowNanos()).isEqualTo(1_000_000_000);
                            assertThat(config(rule(rules, "login")).requests()).isEqualTo(5);
                            assertThat(config(rule(rules, "listed")).requests()).isEqualTo(7);
                            assertThat(mine.limits().maxKeys()).isEqualTo(77);
                        });
    }

    @Test
    void each_rule_is_logged_at_the_start_in_one_line(CapturedOutput output) {
        web(
                """
                ratelimit.rules:
                  search: { paths: /api/**, methods: get, key: user, requests: 5, window: 60 }
                  login:
                    limits:
                      - { requests: 3, window: 1500ms, strategy: token-bucket, burst: 9 }
                      - { requests: 50, window: P1D, strategy: sliding-log }
                """,
                rules -> {});

        assertThat(output.getOut().lines().filter(line -> line.contains("Rate limit '")))
                .satisfiesExactlyInAnyOrder(
                        line ->
                                assertThat(line)
                                        .contains(
                                                "Rate limit 'search' from ratelimit.rules.search:"
                                                        + " [/api/**] [GET] 5 per 1m (fixed-window)"
                                                        + " by user"),
                        line ->
                                assertThat(line)
                                        .contains(
                                                "3 per 1500ms with burst 9 (token-bucket) and 50 per"
                                                        + " 1d (sliding-log) by ip"));
    }

    @Test
    void limits_that_are_off_are_logged_as_off(CapturedOutput output) {
        Contexts.plain().withPropertyValues("ratelimit.enabled=false").run(context -> {});

        assertThat(output)
                .contains("WARN", "Rate limits are off, since ratelimit.enabled is false");
    }

    private static void web(String yaml, Consumer<Rules> assertions) {
        Contexts.web()
                .withInitializer(yaml(yaml))
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            assertions.accept(context.getBean(Rules.class));
                        });
    }

    private static Rule rule(Rules rules, String name) {
        Rule rule = rules.find(name);
        assertThat(rule).as(name).isNotNull();
        return rule;
    }

    private static LimitConfig config(Rule rule) {
        return rule.limits().limits().get(0).config();
    }

    private static long windowNanos(Rules rules) {
        return config(rule(rules, "search")).windowNanos();
    }

    private static final class NothingPasses implements RateLimitStrategy {

        @Override
        public boolean check(
                Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
            return false;
        }
    }
}
