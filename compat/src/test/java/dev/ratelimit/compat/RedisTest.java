package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.spring.RateLimiters;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;
import redis.embedded.RedisServer;

/** Instances of the application that share their limits, with either client of Redis. */
class RedisTest {

    private int redisPort;
    private RedisServer redis;

    @BeforeEach
    void makeServer() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            redisPort = socket.getLocalPort();
        }
        redis = RedisServer.newRedisServer().port(redisPort).setting("save \"\"").build();
    }

    @AfterEach
    void stopServer() throws IOException {
        redis.stop();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void two_instances_share_one_budget(String client) throws IOException {
        redis.start();
        try (Instance one = new Instance(redisPort, client);
                Instance other = new Instance(redisPort, client)) {
            List<String> remaining = new ArrayList<>();
            int refused = 0;
            for (int i = 0; i < 30; i++) {
                HttpResponse<String> response = (i % 2 == 0 ? one : other).http.get("/target");
                if (response.statusCode() == 200) {
                    remaining.add(remaining(response));
                } else {
                    assertThat(response.statusCode()).isEqualTo(429);
                    refused++;
                }
            }

            assertThat(remaining).containsExactly("9", "8", "7", "6", "5", "4", "3", "2", "1", "0");
            assertThat(refused).isEqualTo(20);
            assertThat(one.endpoint("$.store")).isEqualTo("redis");
            assertThat(other.endpoint("$.storeState")).isEqualTo("available");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void an_instance_starts_without_redis_and_finds_it_when_it_comes(String client)
            throws IOException {
        try (Instance instance = new Instance(redisPort, client)) {
            assertThat(instance.http.statuses(12, "/target")).containsOnly(200);
            assertThat(instance.http.statuses(2, "/operated")).containsOnly(503);
            assertThat(instance.endpoint("$.storeState")).isEqualTo("unavailable");

            redis.start();
            await(() -> remaining(instance.http.get("/target")).equals("9"));

            assertThat(instance.endpoint("$.storeState")).isEqualTo("available");
            assertThat(instance.http.statuses(2, "/operated")).containsExactly(200, 429);
            assertThat(instance.http.statuses(10, "/target")).endsWith(200, 429);
        }
    }

    /** As applications are: who has chosen one client does not have the other one's classes. */
    @ParameterizedTest
    @CsvSource({
        "lettuce, jedis|commons-pool, redis.clients.jedis.Jedis",
        "jedis, lettuce|netty|reactor|reactive, io.lettuce.core.RedisClient"
    })
    void one_client_does_without_the_other(String client, String absent, String absentClass)
            throws Exception {
        redis.start();
        Pattern jar = Pattern.compile("(" + absent + ")[^/]*\\.jar$");

        assertThat(
                        ClassPath.call(
                                ClassPath.filter(
                                        ClassPath.OF_TESTS, path -> !jar.matcher(path).find()),
                                Run.class,
                                redisPort + " " + client + " " + absentClass))
                .containsExactly("true", "false");
    }

    private static String remaining(HttpResponse<String> response) {
        return response.headers().firstValue("X-RateLimit-Remaining").orElse("");
    }

    private static void await(BooleanSupplier condition) {
        long endNanos = System.nanoTime() + Duration.ofSeconds(15).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(endNanos);
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Starts what needs no more than Redis, and tells what two calls are answered. */
    public static final class Run implements Function<String, String[]> {

        @Override
        public String[] apply(String portClientAndAbsentClass) {
            String[] all = portClientAndAbsentClass.split(" ");
            assertThat(ClassUtils.isPresent(all[2], null)).isFalse();
            SpringApplication application = new SpringApplication(Calls.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            try (ConfigurableApplicationContext context =
                    application.run(
                            "--spring.config.location=optional:classpath:/none/",
                            "--spring.data.redis.port=" + all[0],
                            "--spring.data.redis.client-type=" + all[1],
                            "--ratelimit.store=redis",
                            "--ratelimit.redis.on-failure=deny",
                            "--ratelimit.rules.calls.requests=1",
                            "--ratelimit.rules.calls.window=1d")) {
                RateLimiter calls = context.getBean(RateLimiters.class).get("calls");
                return new String[] {
                    String.valueOf(calls.tryAcquire("key").allowed()),
                    String.valueOf(calls.tryAcquire("key").allowed())
                };
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Calls {}

    /** Its clock stands still; that of Redis does not. */
    private static final class Instance implements AutoCloseable {

        private final ConfigurableApplicationContext context;
        final Client http;

        Instance(int redisPort, String client) {
            context =
                    SpringApplication.run(
                            CompatApplication.class,
                            "--server.port=0",
                            "--spring.data.redis.host=127.0.0.1",
                            "--spring.data.redis.port=" + redisPort,
                            "--spring.data.redis.client-type=" + client,
                            "--ratelimit.store=redis",
                            "--ratelimit.hash-secret=shared",
                            "--ratelimit.rules.target.requests=10",
                            "--ratelimit.rules.target.window=1d",
                            "--ratelimit.rules.operated.window=1d",
                            "--ratelimit.rules.operated.on-failure=deny");
            http =
                    new Client(
                            context.getEnvironment()
                                    .getRequiredProperty("local.server.port", Integer.class));
        }

        String endpoint(String path) {
            return JsonPath.read(http.get("/actuator/ratelimits").body(), path);
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
