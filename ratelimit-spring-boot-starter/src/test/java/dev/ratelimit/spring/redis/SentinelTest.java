package dev.ratelimit.spring.redis;

import static dev.ratelimit.spring.redis.Instance.await;
import static org.assertj.core.api.Assertions.assertThat;
import static redis.embedded.core.ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisSentinel;

/** A master with a replica, and a Sentinel that watches over them. */
class SentinelTest {

    private static final String GROUP = "limits";
    private static final Duration HEALED = Duration.ofSeconds(30);

    private final int sentinelPort = RedisServer.freePort();
    private RedisServer master;
    private RedisServer replica;
    private RedisSentinel sentinel;

    @BeforeEach
    void start(@TempDir Path ofMaster, @TempDir Path ofReplica) throws Exception {
        master = new RedisServer("dir " + ofMaster, "repl-diskless-sync no");
        replica = new RedisServer("dir " + ofReplica, "replicaof 127.0.0.1 " + master.port);
        sentinel =
                RedisSentinel.newRedisSentinel()
                        .executableProvider(RedisServer.executable())
                        .port(sentinelPort)
                        .masterName(GROUP)
                        .masterPort(master.port)
                        .quorumSize(1)
                        .downAfterMilliseconds(1_000)
                        .failOverTimeout(5_000)
                        .build();
        sentinel.start();
    }

    @AfterEach
    void stop() throws Exception {
        sentinel.stop();
        replica.stop();
        master.stop();
    }

    private Instance instance(String client) {
        return Instance.start(
                master.port,
                "--spring.data.redis.client-type=" + client,
                "--spring.data.redis.sentinel.master=" + GROUP,
                "--spring.data.redis.sentinel.nodes=127.0.0.1:" + sentinelPort,
                "--ratelimit.rules.search.requests=1000000");
    }

    @Test
    void limits_are_shared_through_the_master_and_again_after_it_was_killed() {
        try (Instance one = instance("lettuce");
                Instance other = instance("jedis")) {
            assertThat(one.call("search").remaining()).isEqualTo(999_999);
            assertThat(other.call("search").remaining()).isEqualTo(999_998);
            ask(sentinel -> await(HEALED, () -> !sentinel.replicas(() -> GROUP).isEmpty()));

            master.kill();
            await(HEALED, () -> !one.decides() && !other.decides());
            await(HEALED, one::decides);
            await(HEALED, other::decides);

            assertShared(one, other);
        }
    }

    /** Sentinel takes ten seconds to tell the former master, which is too long for each build. */
    @Test
    @EnabledIfSystemProperty(named = PROPERTY_EXECUTABLE_LOCATION, matches = ".+")
    void limits_are_shared_again_after_a_failover_that_was_asked_for() {
        try (Instance one = instance("lettuce");
                Instance other = instance("jedis")) {
            assertThat(one.call("search").remaining()).isEqualTo(999_999);
            assertThat(other.call("search").remaining()).isEqualTo(999_998);
            ask(
                    sentinel -> {
                        await(HEALED, () -> !sentinel.replicas(() -> GROUP).isEmpty());
                        sentinel.failover(() -> GROUP);
                    });

            await(HEALED, () -> master.info("replication").getProperty("role").equals("slave"));
            await(HEALED, one::decides);
            await(HEALED, other::decides);

            assertShared(one, other);
        }
    }

    /** What was spent before the failover is spent. */
    private static void assertShared(Instance one, Instance other) {
        long remaining = one.call("search").remaining();
        assertThat(remaining).isLessThan(999_998);
        assertThat(other.call("search").remaining()).isEqualTo(remaining - 1);
        assertThat(one.call("search").remaining()).isEqualTo(remaining - 2);
    }

    private void ask(Consumer<RedisSentinelConnection> question) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(
                        new RedisSentinelConfiguration(GROUP, Set.of("127.0.0.1:" + sentinelPort)));
        connections.afterPropertiesSet();
        connections.start();
        try (RedisSentinelConnection connection = connections.getSentinelConnection()) {
            question.accept(connection);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            connections.destroy();
        }
    }
}
