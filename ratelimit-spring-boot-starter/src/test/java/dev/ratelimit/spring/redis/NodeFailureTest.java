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
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisShardedCluster;
import redis.embedded.core.RedisServerBuilder;

/** A cluster of which one node hangs. */
class NodeFailureTest {

    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private static final List<String> KEYS =
            IntStream.range(0, 30).mapToObj(i -> "user-" + i).toList();

    private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private static String pid(int port) {
        LettuceConnectionFactory factory =
                started(
                        new LettuceConnectionFactory(
                                new RedisStandaloneConfiguration("127.0.0.1", port)));
        try (RedisConnection connection = factory.getConnection()) {
            return connection.serverCommands().info("server").getProperty("process_id");
        } finally {
            factory.destroy();
        }
    }

    private static void signal(String name, String pid) throws Exception {
        new ProcessBuilder("kill", "-" + name, pid).start().waitFor();
    }

    private static boolean answers(KeyedLimits limits, String key) {
        try {
            limits.acquire(new Charge(limits, key, 1));
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static List<String> answered(KeyedLimits limits) {
        return KEYS.stream().filter(key -> answers(limits, key)).toList();
    }

    @Test
    void costs_its_own_keys_a_few_timeouts_and_the_others_nothing(@TempDir Path directory)
            throws Exception {
        RedisShardedCluster cluster =
                RedisShardedCluster.newRedisCluster()
                        .withServerBuilder(
                                new RedisServerBuilder()
                                        .executableProvider(RedisServer.executable())
                                        .setting("dir " + directory)
                                        .setting("cluster-require-full-coverage no"))
                        .ephemeral()
                        .shard("a", 0)
                        .shard("b", 0)
                        .shard("c", 0)
                        .build();
        cluster.start();
        LettuceConnectionFactory connections =
                started(
                        new LettuceConnectionFactory(
                                new RedisClusterConfiguration(
                                        cluster.ports().stream()
                                                .map(port -> "127.0.0.1:" + port)
                                                .toList())));
        String pid = pid(cluster.ports().get(1));
        try (RedisStore store =
                RedisStore.open(
                        connections,
                        "ratelimit:",
                        TIMEOUT,
                        new InMemoryStore(TimeSource.system()))) {
            Limit limit =
                    new Limit(
                            LimitConfig.of(100_000, Duration.ofDays(1)),
                            LimitStrategy.TOKEN_BUCKET.create());
            KeyedLimits limits = store.open("rule", List.of(limit), 1);
            Instance.await(Duration.ofSeconds(30), () -> answered(limits).equals(KEYS));

            signal("STOP", pid);
            List<String> others = answered(limits);
            assertThat(others).hasSizeBetween(10, 29);
            long startNanoTime = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThat(answered(limits)).isEqualTo(others);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - startNanoTime);
            assertThat(took).as("600 decisions").isLessThan(TIMEOUT.multipliedBy(20));
            assertThat(store.state()).isEqualTo("unavailable");

            signal("CONT", pid);
            Instance.await(Duration.ofSeconds(15), () -> answered(limits).equals(KEYS));
            assertThat(store.state()).isEqualTo("available");
        } finally {
            signal("CONT", pid);
            connections.destroy();
            cluster.stop();
        }
    }
}
