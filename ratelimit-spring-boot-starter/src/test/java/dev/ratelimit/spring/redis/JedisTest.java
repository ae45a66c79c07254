package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@ExtendWith(OutputCaptureExtension.class)
class JedisTest {

    private static final String JEDIS = "--spring.data.redis.client-type=jedis";

    @Test
    void counts_through_jedis_and_says_that_its_timeout_is_longer(CapturedOutput output) {
        RedisServer.common().flush();
        try (Instance one = Instance.start(RedisServer.common().port, JEDIS);
                Instance other = Instance.start(RedisServer.common().port)) {
            for (int i = 0; i < 10; i++) {
                assertThat((i % 2 == 0 ? one : other).call("search").remaining()).isEqualTo(9 - i);
            }
            assertThat(one.allowed()).isFalse();
            flushScripts(one);
            one.rule("search").reset("key");
            assertThat(one.allowed()).isTrue();
            assertThat(one.rule("search").counters().of(Outcome.STORE_FAILURE)).isZero();
        }
        assertThat(output).contains("RL-REDIS-TIMEOUT");
    }

    private static void flushScripts(Instance instance) {
        try (RedisConnection connection =
                instance.context.getBean(RedisConnectionFactory.class).getConnection()) {
            connection.scriptingCommands().scriptFlush();
        }
    }

    @Test
    void goes_on_without_a_server(CapturedOutput output) {
        RedisServer server = new RedisServer();
        server.stop();
        try (Instance instance =
                Instance.start(server.port, JEDIS, "--spring.data.redis.timeout=100ms")) {
            assertThat(instance.allowed()).isTrue();
            assertThat(instance.decides()).isFalse();
            server.start();
            Instance.await(java.time.Duration.ofSeconds(15), instance::decides);
        } finally {
            server.stop();
        }
        assertThat(output).doesNotContain("RL-REDIS-TIMEOUT");
    }
}
