package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A user who has the permissions that docs/redis.md lists, and no others. */
class PermissionsTest {

    /** The only one that can be missing. */
    private static final String LOAD = "+script|load";

    private static final LettuceConnectionFactory ADMINISTRATOR = RedisServer.common().connect();

    private static List<String> documented() throws IOException {
        String rules =
                Pattern.compile("^ACL SETUSER app on >password (.*)$", Pattern.MULTILINE)
                        .matcher(Files.readString(Path.of("../docs/redis.md")))
                        .results()
                        .map(found -> found.group(1))
                        .findFirst()
                        .orElseThrow();
        return List.of(rules.split(" "));
    }

    private static String[] without(String missing) throws IOException {
        assertThat(documented()).contains(missing);
        return documented().stream().filter(rule -> !rule.equals(missing)).toArray(String[]::new);
    }

    static Stream<String> needed() throws IOException {
        return documented().stream().filter(rule -> !rule.equals(LOAD));
    }

    @Test
    void suffice_for_everything() throws Exception {
        String[] all = documented().toArray(String[]::new);
        useLettuce(user(all));
        useJedis(user(all));
    }

    @Test
    void suffice_without_that_to_load_the_script() throws Exception {
        useLettuce(user(without(LOAD)));
        useJedis(user(without(LOAD)));
    }

    @ParameterizedTest
    @MethodSource("needed")
    void are_all_needed(String missing) throws Exception {
        RedisStandaloneConfiguration user = user(without(missing));

        assertThatThrownBy(() -> useLettuce(user))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageFindingMatch("NOPERM|can't run this command|can't access");
    }

    private static RedisStandaloneConfiguration user(String... rules) {
        Stream<String> anew = Stream.of("SETUSER", "app", "reset", "on", ">password");
        execute("ACL", Stream.concat(anew, Stream.of(rules)));
        RedisStandaloneConfiguration server =
                new RedisStandaloneConfiguration("127.0.0.1", RedisServer.common().port);
        server.setUsername("app");
        server.setPassword("password");
        return server;
    }

    private static void execute(String command, Stream<String> arguments) {
        try (RedisConnection connection = ADMINISTRATOR.getConnection()) {
            connection.execute(command, arguments.map(ScriptCall::bytes).toArray(byte[][]::new));
        }
    }

    private static void useLettuce(RedisStandaloneConfiguration user) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(user);
        connections.afterPropertiesSet();
        connections.start();
        try {
            doEverything(connections);
        } finally {
            connections.destroy();
        }
    }

    private static void useJedis(RedisStandaloneConfiguration user) {
        JedisConnectionFactory connections = new JedisConnectionFactory(user);
        connections.afterPropertiesSet();
        connections.start();
        try {
            doEverything(connections);
        } finally {
            connections.destroy();
        }
    }

    private static void doEverything(RedisConnectionFactory connections) {
        try (RedisStore store =
                RedisStore.open(
                        connections,
                        "ratelimit:",
                        Duration.ofSeconds(5),
                        new InMemoryStore(TimeSource.system()))) {
            doEverything(store);
        }
    }

    private static void doEverything(RedisStore store) {
        execute("FLUSHALL", Stream.of());
        for (LimitStrategy strategy : LimitStrategy.values()) {
            Limit limit = new Limit(LimitConfig.of(5, Duration.ofDays(1)), strategy.create());
            KeyedLimits limits = store.open("rule-" + strategy, List.of(limit), 1);
            Charge first = acquire(limits);
            execute("SCRIPT", Stream.of("FLUSH"));
            Charge second = acquire(limits);
            assertThat(second.remaining(0)).isEqualTo(3);
            limits.refund(second);
            limits.refund(first);
            Charge peeked = new Charge(limits, "key", 1);
            limits.peek(peeked);
            // A bucket of tokens does not give all of a charge back that is not of this instant.
            assertThat(peeked.remaining(0)).isBetween(4L, 5L);
            limits.reset("key");
            acquire(limits);
            limits.update(LimitConfig.of(2, Duration.ofDays(1)));
            assertThat(acquire(limits).remaining(0)).isZero();
            assertThat(acquire(limits).allowed()).isFalse();
            limits.reset("key");
            assertThat(acquire(limits).remaining(0)).isEqualTo(1);
        }
        assertThat(store.state()).isEqualTo("available");
    }

    private static Charge acquire(KeyedLimits limits) {
        Charge charge = new Charge(limits, "key", 1);
        limits.acquire(charge);
        return charge;
    }
}
