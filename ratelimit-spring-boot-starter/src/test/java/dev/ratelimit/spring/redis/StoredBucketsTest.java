package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.redis.RedisLimits.Operation;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What stands in Redis, by the clock of the server. Comments name cases, as in the core's tests.
 */
class StoredBucketsTest {

    private static final LettuceConnectionFactory CONNECTIONS = RedisServer.common().connect();

    private final StringRedisTemplate redis = new StringRedisTemplate(CONNECTIONS);
    private RedisStore store;

    @BeforeEach
    void open() {
        RedisServer.common().flush();
        store =
                RedisStore.open(
                        CONNECTIONS,
                        "test:",
                        Duration.ofSeconds(5),
                        new InMemoryStore(TimeSource.system()));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private KeyedLimits limits(LimitStrategy strategy, long requests, Duration window) {
        return store.open(
                "rule", List.of(new Limit(LimitConfig.of(requests, window), strategy.create())), 1);
    }

    private static Charge acquire(KeyedLimits limits, Object key, long permits) {
        Charge charge = new Charge(limits, key, permits);
        limits.acquire(charge);
        return charge;
    }

    private String onlyKey() {
        Set<String> keys = redis.keys("*");
        assertThat(keys).hasSize(1);
        return keys.iterator().next();
    }

    /** Whatever kind of value it is. */
    private Object dump(String key) {
        return List.of(redis.dump(key).length, redis.type(key), String.valueOf(value(key)));
    }

    private Object value(String key) {
        return redis.type(key).code().equals("list")
                ? redis.opsForList().range(key, 0, -1)
                : redis.opsForValue().get(key);
    }

    // C133
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void every_key_expires_and_a_lost_expiry_is_set_again(LimitStrategy strategy) {
        KeyedLimits limits = limits(strategy, 10, Duration.ofMinutes(10));
        acquire(limits, "key", 1);
        String key = onlyKey();
        assertThat(redis.getExpire(key)).isBetween(1L, 1_200L);
        redis.persist(key);
        assertThat(redis.getExpire(key)).isEqualTo(-1);

        acquire(limits, "key", 1);

        assertThat(redis.getExpire(key)).isBetween(1L, 1_200L);
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_key_is_gone_when_its_bucket_equals_a_new_one(LimitStrategy strategy) throws Exception {
        KeyedLimits limits = limits(strategy, 1, Duration.ofMillis(100));
        acquire(limits, "key", 1);
        Thread.sleep(210);

        assertThat(redis.keys("*")).isEmpty();
    }

    // C146
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_refusal_writes_nothing(LimitStrategy strategy) throws Exception {
        KeyedLimits limits = limits(strategy, 5, Duration.ofDays(1));
        acquire(limits, "key", 3);
        String key = onlyKey();
        Object before = dump(key);
        long expiry = redis.getExpire(key, java.util.concurrent.TimeUnit.MILLISECONDS);
        Thread.sleep(5);

        for (long permits = 3; permits <= 6; permits++) {
            assertThat(acquire(limits, "key", permits).allowed()).isFalse();
        }
        assertThat(dump(key)).isEqualTo(before);
        assertThat(redis.getExpire(key, java.util.concurrent.TimeUnit.MILLISECONDS))
                .isLessThan(expiry);
    }

    // C141
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void every_number_is_written_in_full(LimitStrategy strategy) {
        boolean log = strategy == LimitStrategy.SLIDING_LOG;
        for (long requests : log ? List.of(10_000L) : List.of(100_000_000L, 1_000_000_000L)) {
            for (Duration window : List.of(Duration.ofSeconds(7), Duration.ofDays(1))) {
                if (!ManualRedis.takes(
                        new Limit(LimitConfig.of(requests, window), strategy.create()))) {
                    continue;
                }
                RedisServer.common().flush();
                KeyedLimits limits = limits(strategy, requests, window);
                Charge many = acquire(limits, "key", requests - 1);
                assertThat(many.remaining(0)).isEqualTo(1);
                assertThat(String.valueOf(value(onlyKey()))).matches("[\\d:, \\[\\]]+");

                limits.refund(many);
                acquire(limits, "key", requests / 2);
                assertThat(String.valueOf(value(onlyKey()))).matches("[\\d:, \\[\\]]+");
            }
        }
    }

    // C141
    @Test
    void a_million_per_hour_counts_down_one_by_one() {
        KeyedLimits hourly = limits(LimitStrategy.FIXED_WINDOW, 1_000_000, Duration.ofHours(1));
        for (long remaining = 999_999; remaining > 999_990; remaining--) {
            assertThat(acquire(hourly, "key", 1).remaining(0)).isEqualTo(remaining);
        }
    }

    // C141: three seconds by the server's clock, which no test can move on
    @Test
    void ten_per_second_admit_no_more_than_forty_in_three_seconds() {
        KeyedLimits limits = limits(LimitStrategy.TOKEN_BUCKET, 10, Duration.ofSeconds(1));
        long startNanoTime = System.nanoTime();
        long admitted = 0;
        while (System.nanoTime() - startNanoTime < 3_000_000_000L) {
            admitted += acquire(limits, "key", 1).allowed() ? 1 : 0;
        }

        assertThat(admitted).isBetween(35L, 40L);
    }

    // C140
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_foreign_value_is_taken_for_a_new_bucket(LimitStrategy strategy) {
        KeyedLimits limits = limits(strategy, 2, Duration.ofDays(1));
        acquire(limits, "key", 1);
        String key = onlyKey();
        List<Runnable> foreign = new ArrayList<>();
        foreign.add(() -> redis.opsForValue().set(key, "abc"));
        foreign.add(() -> redis.opsForList().leftPush(key, "abc"));
        foreign.add(() -> redis.opsForSet().add(key, "abc"));
        foreign.add(() -> redis.opsForHash().put(key, "abc", "1"));

        for (Runnable write : foreign) {
            redis.delete(key);
            write.run();
            assertThat(acquire(limits, "key", 1).remaining(0)).isEqualTo(1);
            assertThat(acquire(limits, "key", 1).remaining(0)).isZero();
            assertThat(acquire(limits, "key", 1).allowed()).isFalse();
            assertThat(redis.getExpire(key)).isPositive();
            limits.reset("key");
        }
    }

    // C136
    @ParameterizedTest
    @ValueSource(strings = {"a", "{", "}", "{}", "{a}b", "}{", "%7D", "a:b", ""})
    void all_limits_of_a_key_are_in_one_slot_and_of_two_keys_apart(String user) {
        Limit daily =
                new Limit(
                        LimitConfig.of(5, Duration.ofDays(1)), LimitStrategy.FIXED_WINDOW.create());
        Limit log =
                new Limit(
                        LimitConfig.of(5, Duration.ofDays(1)), LimitStrategy.SLIDING_LOG.create());
        KeyedLimits limits = store.open("rule", List.of(daily, daily, log), 1);
        acquire(limits, user, 1);

        Set<String> keys = redis.keys("*");
        assertThat(keys).hasSize(3);
        assertThat(keys.stream().map(io.lettuce.core.cluster.SlotHash::getSlot).distinct())
                .hasSize(1);
        assertThat(keys).allMatch(key -> key.matches("test:\\{rule:.*}:[012][FL]"));
        Stream.of("a", "{", "}", "{}", "{a}b", "}{", "%7D", "a:b", "")
                .filter(other -> !other.equals(user))
                .forEach(other -> assertThat(acquire(limits, other, 1).remaining(0)).isEqualTo(4));
    }

    @Test
    void halves_of_characters_are_kept_apart() {
        KeyedLimits limits = limits(LimitStrategy.FIXED_WINDOW, 1, Duration.ofDays(1));
        for (String key : List.of("\ud800", "\udc00", "?", "\ud83d\ude00", "%D800")) {
            assertThat(acquire(limits, key, 1).allowed()).isTrue();
            assertThat(acquire(limits, key, 1).allowed()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void changed_numbers_keep_what_is_spent(LimitStrategy strategy) {
        KeyedLimits limits = limits(strategy, 10, Duration.ofDays(300));
        acquire(limits, "key", 4);

        limits.update(LimitConfig.of(20, Duration.ofDays(300)));
        assertThat(acquire(limits, "key", 1).remaining(0)).isEqualTo(15);
        limits.update(LimitConfig.of(20, Duration.ofDays(200)));
        assertThat(acquire(limits, "key", 1).remaining(0)).isEqualTo(14);
        limits.update(LimitConfig.of(3, Duration.ofDays(200)));
        Charge refused = acquire(limits, "key", 1);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.remaining(0)).isZero();
        assertThat(refused.retryNanos(0)).isPositive();
    }

    @Test
    void of_several_rules_a_refusal_by_one_spends_nothing_of_the_others() {
        Limit one =
                new Limit(
                        LimitConfig.of(1, Duration.ofDays(1)), LimitStrategy.FIXED_WINDOW.create());
        Limit five =
                new Limit(
                        LimitConfig.of(5, Duration.ofDays(1)), LimitStrategy.FIXED_WINDOW.create());
        KeyedLimits small = store.open("small", List.of(one), 1);
        KeyedLimits large = store.open("large", List.of(five), 1);
        assertThat(store.acquire(List.of(new Charge(small, "k", 1), new Charge(large, "k", 1))))
                .isTrue();

        Charge admitting = new Charge(large, "k", 1);
        assertThat(store.acquire(List.of(new Charge(small, "k", 1), admitting))).isFalse();

        assertThat(admitting.remaining(0)).isEqualTo(4);
        assertThat(acquire(large, "k", 4).allowed()).isTrue();
    }

    @Test
    void a_repeated_refusal_asks_redis_once_and_counts_down() throws Exception {
        List<Long> trips = new ArrayList<>();
        store.tell((nanos, answered) -> trips.add(nanos));
        KeyedLimits limits = limits(LimitStrategy.FIXED_WINDOW, 1, Duration.ofDays(1));
        acquire(limits, "key", 1);
        Charge first = acquire(limits, "key", 1);
        assertThat(trips).hasSize(2);

        for (int i = 0; i < 10; i++) {
            Charge again = acquire(limits, "key", 1);
            assertThat(again.allowed()).isFalse();
            assertThat(again.retryNanos(0)).isPositive().isLessThan(first.retryNanos(0));
            assertThat(again.resetEpochSeconds(0)).isEqualTo(first.resetEpochSeconds(0));
        }
        assertThat(trips).hasSize(2);

        limits.reset("key");
        assertThat(acquire(limits, "key", 1).allowed()).isTrue();
        acquire(limits, "key", 1);
        Thread.sleep(1_010);
        trips.clear();
        acquire(limits, "key", 1);
        assertThat(trips).as("after a second").hasSize(1);
    }

    // C39
    @Test
    void callers_of_one_key_at_once_cost_one_round_trip_each_and_none_is_refused()
            throws Exception {
        int callers = 400;
        KeyedLimits limits = limits(LimitStrategy.FIXED_WINDOW, 1_000_000, Duration.ofDays(1));
        acquire(limits, "key", 1);
        redis.execute(
                (RedisCallback<@Nullable Void>)
                        connection -> {
                            connection.serverCommands().resetConfigStats();
                            return null;
                        });
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        CountDownLatch start = new CountDownLatch(1);
        try {
            List<Future<Long>> calls = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                calls.add(
                        threads.submit(
                                () -> {
                                    start.await();
                                    long before = System.nanoTime();
                                    assertThat(acquire(limits, "key", 1).allowed()).isTrue();
                                    return System.nanoTime() - before;
                                }));
            }
            start.countDown();
            List<Long> nanos = new ArrayList<>();
            for (Future<Long> call : calls) {
                nanos.add(call.get());
            }
            Collections.sort(nanos);
            assertThat(Duration.ofNanos(nanos.get(callers * 99 / 100)))
                    .isLessThan(Duration.ofSeconds(2));
        } finally {
            threads.shutdownNow();
        }

        assertThat(commandStats()).contains("calls=" + callers);
        assertThat(acquire(limits, "key", 1).remaining(0)).isEqualTo(1_000_000 - callers - 2);
    }

    private String commandStats() {
        return redis.execute(
                (RedisCallback<String>)
                        connection ->
                                connection
                                        .serverCommands()
                                        .info("commandstats")
                                        .getProperty("cmdstat_evalsha"));
    }

    // C133
    @ParameterizedTest
    @EnumSource(LimitStrategy.class)
    void a_client_that_is_gone_in_the_middle_of_a_call_leaves_no_key_for_ever(
            LimitStrategy strategy) throws Exception {
        RedisLimits limits = (RedisLimits) limits(strategy, 5, Duration.ofDays(1));
        Random random = new Random(1);
        for (int i = 0; i < 250; i++) {
            ScriptCall call =
                    limits.call(Operation.ACQUIRE, new Charge(limits, "key-" + i % 20, 1));
            byte[] request = Resp.eval(Script.read(), call);
            int sent = i % 2 == 0 ? request.length : random.nextInt(request.length);
            try (Socket client = new Socket("127.0.0.1", RedisServer.common().port)) {
                client.setSoLinger(true, 0);
                client.getOutputStream().write(request, 0, sent);
            }
        }

        assertThat(acquire(limits, "another", 1).allowed()).isTrue();
        Set<String> keys = redis.keys("*");
        assertThat(keys).hasSizeGreaterThan(1);
        assertThat(keys).allMatch(key -> redis.getExpire(key) > 0);
    }

    // C144
    @Test
    void what_has_left_the_window_does_not_count_by_the_clock_of_the_server() throws Exception {
        KeyedLimits limits = limits(LimitStrategy.SLIDING_LOG, 3, Duration.ofMillis(200));
        acquire(limits, "key", 3);
        Charge refused = acquire(limits, "key", 1);
        assertThat(refused.allowed()).isFalse();
        // Until then the instance itself would refuse; and the key must not be gone by itself.
        redis.persist(onlyKey());
        Thread.sleep(201);

        assertThat(acquire(limits, "key", 1).remaining(0)).isEqualTo(2);
        assertThat(redis.opsForList().size(onlyKey())).isEqualTo(1);
    }

    /** The protocol of Redis, as far as it is needed to stop in the middle of it. */
    private static final class Resp {

        static byte[] eval(String script, ScriptCall call) {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            byte[][] keysAndArguments = call.keysAndArguments();
            request.writeBytes(ScriptCall.bytes("*" + (3 + keysAndArguments.length) + "\r\n"));
            write(request, ScriptCall.bytes("EVAL"));
            write(request, ScriptCall.bytes(script));
            write(request, ScriptCall.bytes(call.keys.length));
            for (byte[] argument : keysAndArguments) {
                write(request, argument);
            }
            return request.toByteArray();
        }

        private static void write(ByteArrayOutputStream request, byte[] bulk) {
            request.writeBytes(ScriptCall.bytes("$" + bulk.length + "\r\n"));
            request.writeBytes(bulk);
            request.writeBytes(ScriptCall.bytes("\r\n"));
        }
    }
}
