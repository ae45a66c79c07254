package dev.ratelimit.spring.redis;

import static dev.ratelimit.spring.redis.Instance.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.Decision;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.rule.Outcome;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an application does that Redis leaves alone, and how it finds back. */
@ExtendWith(OutputCaptureExtension.class)
class OutageTest {

    private static final Duration HEALED = Duration.ofSeconds(15);

    private static final String[] RULES = {
        "--ratelimit.rules.deny.requests=3",
        "--ratelimit.rules.deny.window=1d",
        "--ratelimit.rules.deny.on-failure=deny",
        "--ratelimit.rules.local.requests=3",
        "--ratelimit.rules.local.window=1d",
        "--ratelimit.rules.local.on-failure=local",
    };

    private static int count(CharSequence output, String text) {
        return output.toString().split(text, -1).length - 1;
    }

    @Test
    void starts_without_redis_and_finds_it_when_it_comes(CapturedOutput output) {
        RedisServer server = new RedisServer();
        server.stop();
        try (Instance instance = Instance.start(server.port, RULES)) {
            for (int i = 0; i < 20; i++) {
                assertThat(instance.call("search").allowed()).isTrue();
                assertThat(instance.call("deny").allowed()).isFalse();
                assertThat(instance.call("local").allowed()).isEqualTo(i < 3);
            }
            assertThat(instance.call("deny").retryAfter()).isEqualTo(Duration.ofSeconds(1));
            assertThat(instance.store().state()).isEqualTo("unavailable");
            assertThat(instance.rule("search").counters().of(Outcome.STORE_FAILURE)).isEqualTo(20);
            assertThat(instance.rule("search").counters().of(Outcome.ALLOWED)).isZero();
            assertThat(instance.rule("deny").counters().of(Outcome.REJECTED)).isZero();
            assertThat(instance.rule("local").counters().of(Outcome.REJECTED)).isEqualTo(17);

            server.start();
            await(HEALED, instance::decides);

            assertThat(instance.call("local").remaining()).isEqualTo(2);
            assertThat(instance.store().state()).isEqualTo("available");
        } finally {
            server.stop();
        }
        assertThat(count(output, "RL-STORE-UNAVAILABLE")).isEqualTo(1);
        assertThat(count(output, "RL-STORE-AVAILABLE")).isEqualTo(1);
    }

    @Test
    void heals_after_the_server_was_killed_and_started_again() {
        RedisServer server = new RedisServer();
        try (Instance instance = Instance.start(server.port, RULES)) {
            assertThat(instance.decides()).isTrue();
            server.kill();
            await(HEALED, () -> !instance.decides());
            await(HEALED, () -> instance.store().state().equals("unavailable") || probe(instance));

            server.start();
            await(HEALED, instance::decides);
        } finally {
            server.stop();
        }
    }

    /** After a long outage Lettuce takes up to 30 s to connect again, and here an hour. */
    @Test
    void does_not_wait_for_the_client_to_connect_again() {
        RedisServer server = new RedisServer();
        ClientResources resources =
                ClientResources.builder()
                        .reconnectDelay(Delay.constant(Duration.ofHours(1)))
                        .build();
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(
                        new RedisStandaloneConfiguration("127.0.0.1", server.port),
                        LettuceClientConfiguration.builder().clientResources(resources).build());
        connections.afterPropertiesSet();
        connections.start();
        try (RedisStore store =
                RedisStore.open(
                        connections,
                        "test:",
                        Duration.ofMillis(100),
                        new InMemoryStore(TimeSource.system()))) {
            KeyedLimits limits = store.open("rule", List.of(daily()), 1);
            await(HEALED, () -> answers(limits));
            server.kill();
            await(HEALED, () -> !answers(limits) && store.state().equals("unavailable"));

            server.start();
            await(HEALED, () -> answers(limits));
        } finally {
            connections.destroy();
            resources.shutdown();
            server.stop();
        }
    }

    @Test
    void a_master_with_replicas_at_fixed_addresses_decides() {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(
                        new RedisStaticMasterReplicaConfiguration(
                                "127.0.0.1", RedisServer.common().port));
        connections.afterPropertiesSet();
        connections.start();
        try (RedisStore store =
                RedisStore.open(
                        connections,
                        "test:",
                        Duration.ofSeconds(1),
                        new InMemoryStore(TimeSource.system()))) {
            KeyedLimits limits = store.open("rule", List.of(daily()), 1);
            await(HEALED, () -> answers(limits));
        } finally {
            connections.destroy();
        }
    }

    private static Limit daily() {
        return new Limit(
                LimitConfig.of(100, Duration.ofDays(1)), LimitStrategy.FIXED_WINDOW.create());
    }

    private static boolean answers(KeyedLimits limits) {
        try {
            return limits.acquire(new Charge(limits, "key", 1));
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static boolean probe(Instance instance) {
        instance.decides();
        return false;
    }

    @Test
    void a_frozen_server_costs_a_few_timeouts_and_then_nothing() {
        RedisServer server = new RedisServer();
        try (Instance instance = Instance.start(server.port, RULES)) {
            assertThat(instance.decides()).isTrue();
            server.signal("STOP");
            long start = System.nanoTime();
            for (int i = 0; i < 300; i++) {
                assertThat(instance.call("search").allowed()).isTrue();
            }
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertThat(millis).isBetween(400L, 3_000L);

            server.signal("CONT");
            await(HEALED, instance::decides);
        } finally {
            server.signal("CONT");
            server.stop();
        }
    }

    @Test
    void a_slow_answer_is_not_waited_for_and_not_asked_for_again() throws Exception {
        RedisServer server = RedisServer.common();
        server.flush();
        try (Link link = new Link(server.port);
                Instance instance = Instance.start(link.port())) {
            assertThat(instance.call("search").remaining()).isEqualTo(9);
            link.delay(400);
            long start = System.nanoTime();
            instance.call("search");
            assertThat((System.nanoTime() - start) / 1_000_000).isBetween(90L, 350L);
            link.delay(0);

            await(HEALED, instance::decides);
            // 9, less the one that was late, less those that found out; not one more.
            long asked = 10 - instance.call("search").remaining();
            long failures = instance.rule("search").counters().of(Outcome.STORE_FAILURE);
            long allowed = instance.rule("search").counters().of(Outcome.ALLOWED);
            assertThat(asked).isLessThanOrEqualTo(allowed + failures);
        }
    }

    @Test
    void heals_after_a_reset_connection() throws Exception {
        RedisServer.common().flush();
        try (Link link = new Link(RedisServer.common().port);
                Instance instance = Instance.start(link.port())) {
            assertThat(instance.decides()).isTrue();
            link.cut();
            await(HEALED, instance::decides);
        }
    }

    @Test
    void heals_after_all_connections_fell_silent_also_those_that_were_just_being_made()
            throws Exception {
        RedisServer.common().flush();
        try (Link link = new Link(RedisServer.common().port);
                Instance instance = Instance.start(link.port())) {
            assertThat(instance.decides()).isTrue();
            link.fallSilent();
            await(HEALED, () -> unavailable(instance));
            // Now an attempt hangs, for a minute if it is let.
            Thread.sleep(2_500);
            link.recover();

            await(HEALED, instance::decides);
        }
    }

    @Test
    void follows_an_address_to_another_server_though_the_old_one_still_answers() throws Exception {
        RedisServer old = new RedisServer();
        RedisServer other = new RedisServer();
        LettuceConnectionFactory admin = old.connect();
        try (Link link = new Link(old.port);
                Instance instance = Instance.start(link.port());
                RedisConnection connection = admin.getConnection()) {
            assertThat(instance.decides()).isTrue();
            connection.execute("REPLICAOF", bytes("127.0.0.1"), bytes("1"));
            await(HEALED, () -> unavailable(instance));
            link.leadTo(other.port);

            await(HEALED, instance::decides);
        } finally {
            admin.destroy();
            old.stop();
            other.stop();
        }
    }

    private static boolean unavailable(Instance instance) {
        instance.decides();
        return instance.store().state().equals("unavailable");
    }

    @Test
    void scripts_and_keys_that_are_gone_are_no_failure() {
        RedisServer server = RedisServer.common();
        server.flush();
        LettuceConnectionFactory other = server.connect();
        try (Instance instance = Instance.start(server.port);
                RedisConnection connection = other.getConnection()) {
            for (int i = 0; i < 5; i++) {
                assertThat(instance.call("search").remaining()).isEqualTo(9 - i);
                connection.scriptingCommands().scriptFlush();
            }
            connection.serverCommands().flushAll();
            assertThat(instance.call("search").remaining()).isEqualTo(9);
            assertThat(instance.rule("search").counters().of(Outcome.STORE_FAILURE)).isZero();
        } finally {
            other.destroy();
        }
    }

    @Test
    void a_server_that_becomes_a_replica_is_a_failure_until_it_is_none() {
        RedisServer server = new RedisServer();
        LettuceConnectionFactory other = server.connect();
        try (Instance instance = Instance.start(server.port, RULES);
                RedisConnection connection = other.getConnection()) {
            assertThat(instance.decides()).isTrue();
            connection.execute("REPLICAOF", bytes("127.0.0.1"), bytes("1"));
            await(HEALED, () -> !instance.decides());
            assertThat(instance.call("deny").allowed()).isFalse();

            connection.execute("REPLICAOF", bytes("NO"), bytes("ONE"));
            await(HEALED, instance::decides);
        } finally {
            other.destroy();
            server.stop();
        }
    }

    @Test
    void a_user_without_permission_is_a_failure_until_it_has_it(CapturedOutput output) {
        RedisServer server = new RedisServer();
        LettuceConnectionFactory other = server.connect();
        try (RedisConnection connection = other.getConnection()) {
            connection.execute(
                    "ACL",
                    bytes("SETUSER"),
                    bytes("app"),
                    bytes("on"),
                    bytes(">secret"),
                    bytes("~*"),
                    bytes("+@all"),
                    bytes("-set"));
            try (Instance instance =
                    Instance.start(
                            server.port,
                            "--spring.data.redis.username=app",
                            "--spring.data.redis.password=secret")) {
                await(HEALED, () -> !instance.decides());
                await(HEALED, () -> output.toString().contains("RL-STORE-"));
                assertThat(instance.call("search").allowed()).isTrue();

                connection.execute("ACL", bytes("SETUSER"), bytes("app"), bytes("+set"));
                await(HEALED, instance::decides);
            }
        } finally {
            other.destroy();
            server.stop();
        }
    }

    @Test
    void says_why_it_cannot_connect(CapturedOutput output) {
        try (Instance instance =
                Instance.start(
                        RedisServer.common().port,
                        "--spring.data.redis.username=nobody",
                        "--spring.data.redis.password=wrong")) {
            assertThat(instance.call("search").allowed()).isTrue();
            await(HEALED, () -> output.toString().contains("RL-STORE-UNAVAILABLE"));
            assertThat(output).contains("WRONGPASS");
        }
    }

    @Test
    void an_application_that_ends_has_nothing_to_say(CapturedOutput output) {
        for (int i = 0; i < 3; i++) {
            try (Instance instance = Instance.start(RedisServer.common().port)) {
                assertThat(i == 0 || instance.decides()).isTrue();
            }
        }
        assertThat(output).doesNotContain("RL-STORE", "already closed");
    }

    private static byte[] bytes(String text) {
        return ScriptCall.bytes(text);
    }

    @Test
    void a_decision_of_the_stand_in_can_be_given_back() {
        RedisServer server = new RedisServer();
        server.stop();
        try (Instance instance = Instance.start(server.port, RULES)) {
            var limiter =
                    instance.context.getBean(dev.ratelimit.spring.RateLimiters.class).get("local");
            Decision decision = limiter.tryAcquire("key");
            assertThat(decision.remaining()).isEqualTo(2);
            limiter.refund("key", decision);
            assertThat(limiter.tryAcquire("key").remaining()).isEqualTo(2);
        }
    }
}
