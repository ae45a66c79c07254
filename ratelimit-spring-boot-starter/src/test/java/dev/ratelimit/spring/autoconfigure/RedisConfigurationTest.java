package dev.ratelimit.spring.autoconfigure;

import static dev.ratelimit.spring.autoconfigure.Contexts.failure;
import static dev.ratelimit.spring.autoconfigure.Contexts.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.Rules;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** How the store in Redis is chosen, and what stops the start. */
class RedisConfigurationTest {

    private static final String STORE = "ratelimit.store=redis";

    private static ApplicationContextRunner withConnection() {
        return Contexts.plain()
                .withPropertyValues(STORE)
                .withBean(
                        RedisConnectionFactory.class,
                        () ->
                                new LettuceConnectionFactory(
                                        new RedisStandaloneConfiguration("127.0.0.1", 1)));
    }

    @Test
    void without_the_library_the_start_stops_with_what_to_add() {
        FailureAnalysis failure =
                failure(
                        Contexts.plain()
                                .withClassLoader(
                                        new FilteredClassLoader("org.springframework.data.redis"))
                                .withPropertyValues(STORE),
                        yaml(""));

        assertThat(failure.getDescription()).contains("ratelimit.store", "Spring Data Redis");
        assertThat(failure.getAction())
                .contains("org.springframework.boot:spring-boot-starter-data-redis");
    }

    @Test
    void without_a_connection_the_start_stops() {
        FailureAnalysis failure = failure(Contexts.plain().withPropertyValues(STORE), yaml(""));

        assertThat(failure.getDescription()).contains("ratelimit.store", "RedisConnectionFactory");
    }

    @Test
    void a_custom_strategy_stops_the_start() {
        RateLimitStrategy custom = (bucket, config, permits, nowNanos, out) -> true;
        FailureAnalysis failure =
                failure(
                        withConnection().withBean("ours", RateLimitStrategy.class, () -> custom),
                        yaml(
                                "ratelimit.rules.search: { requests: 1, window: 1s, strategy: ours }"));

        assertThat(failure.getDescription())
                .contains("ratelimit.rules.search", "only the built-in ones can be shared");
        assertThat(failure.getAction()).contains("ratelimit.store: in-memory");
    }

    @ParameterizedTest
    @CsvSource({
        "sliding-window, 1000000000, 366d, too large",
        "token-bucket, 999999937, 365d, too large",
        "fixed-window, 1, 1000001ns, microseconds"
    })
    void numbers_that_redis_cannot_hold_stop_the_start(
            String strategy, String requests, String window, String problem) {
        FailureAnalysis failure =
                failure(
                        withConnection()
                                .withPropertyValues(
                                        "ratelimit.rules.search.strategy=" + strategy,
                                        "ratelimit.rules.search.requests=" + requests,
                                        "ratelimit.rules.search.window=" + window),
                        yaml(""));

        assertThat(failure.getDescription()).contains("ratelimit.rules.search", problem);
    }

    @ParameterizedTest
    @CsvSource({"key-prefix, 'a{b}', braces", "timeout, 0ms, 1ms to 1m", "timeout, 2m, 1ms to 1m"})
    void bad_settings_stop_the_start(String property, String value, String action) {
        FailureAnalysis failure =
                failure(
                        withConnection()
                                .withPropertyValues("ratelimit.redis." + property + "=" + value),
                        yaml(""));

        assertThat(failure.getDescription()).contains("ratelimit.redis." + property);
        assertThat(failure.getAction()).contains(action);
    }

    @Test
    void starts_where_nobody_listens_and_reads_its_settings() {
        withConnection()
                .withPropertyValues(
                        "ratelimit.redis.on-failure=local",
                        "ratelimit.rules.search.requests=1",
                        "ratelimit.rules.search.window=1m",
                        "ratelimit.rules.search.on-failure=deny")
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            assertThat(context.getBean(RateLimitStore.class).name())
                                    .isEqualTo("redis");
                            assertThat(context.getBean(RateLimitProperties.class).redis())
                                    .extracting(RateLimitProperties.Redis::onFailure)
                                    .isEqualTo(OnFailure.LOCAL);
                            assertThat(
                                            context.getBean(Rules.class)
                                                    .find("search")
                                                    .definition()
                                                    .onFailure())
                                    .isEqualTo(OnFailure.DENY);
                            assertThat(context).hasBean("rateLimitStoreLatencyMeter");
                        });
    }

    @Test
    void in_memory_uses_no_redis_that_is_there() {
        withConnection()
                .withPropertyValues("ratelimit.store=in-memory")
                .run(
                        context ->
                                assertThat(context.getBean(RateLimitStore.class))
                                        .isInstanceOf(InMemoryStore.class));
    }

    @Test
    void gives_way_to_a_store_of_the_application() {
        InMemoryStore own = new InMemoryStore(TimeSource.system());
        withConnection()
                .withBean("own", RateLimitStore.class, () -> own)
                .run(context -> assertThat(context.getBean(RateLimitStore.class)).isSameAs(own));
    }
}
