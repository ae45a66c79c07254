package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisShardedCluster;
import redis.embedded.core.RedisServerBuilder;

// C136
class ClusterTest {

    /** A cluster that has just been made answers only when all of its servers know that. */
    private static boolean answers(List<KeyedLimits> rules) {
        try {
            for (int i = 0; i < 30; i++) {
                for (KeyedLimits rule : rules) {
                    rule.peek(new Charge(rule, "user-" + i, 1));
                }
            }
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    void limits_of_any_key_and_rules_of_one_request_are_counted(@TempDir Path directory)
            throws Exception {
        RedisShardedCluster cluster =
                RedisShardedCluster.newRedisCluster()
                        .withServerBuilder(
                                new RedisServerBuilder()
                                        .executableProvider(RedisServer.executable())
                                        .setting("dir " + directory))
                        .ephemeral()
                        .shard("a", 0)
                        .shard("b", 0)
                        .shard("c", 0)
                        .build();
        cluster.start();
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(
                        new RedisClusterConfiguration(
                                cluster.ports().stream()
                                        .map(port -> "127.0.0.1:" + port)
                                        .toList()));
        connections.afterPropertiesSet();
        connections.start();
        try (RedisStore store =
                RedisStore.open(
                        connections,
                        "ratelimit:",
                        Duration.ofSeconds(5),
                        new InMemoryStore(TimeSource.system()))) {
            List<Limit> all =
                    Arrays.stream(LimitStrategy.values())
                            .map(
                                    strategy ->
                                            new Limit(
                                                    LimitConfig.of(5, Duration.ofDays(1)),
                                                    strategy.create()))
                            .toList();
            List<KeyedLimits> rules = new ArrayList<>();
            for (String rule : List.of("one", "two", "three")) {
                rules.add(store.open(rule, all, 1));
            }
            Instance.await(Duration.ofSeconds(30), () -> answers(rules));
            for (int i = 0; i < 30; i++) {
                String key = "user-" + i;
                for (int call = 0; call < 7; call++) {
                    List<Charge> charges =
                            rules.stream().map(rule -> new Charge(rule, key, 1)).toList();
                    assertThat(store.acquire(charges)).isEqualTo(call < 5);
                }
            }
        } finally {
            connections.destroy();
            cluster.stop();
        }
    }
}
