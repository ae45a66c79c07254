package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
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
    @Test
    void large_numbers_are_written_in_full() {
        for (LimitStrategy strategy :
                List.of(LimitStrategy.TOKEN_BUCKET, LimitStrategy.FIXED_WINDOW)) {
            RedisServer.common().flush();
            KeyedLimits limits = limits(strategy, 1_000_000_000, Duration.ofSeconds(10));
            acquire(limits, "key", 999_999_999);

            assertThat(redis.opsForValue().get(onlyKey())).matches("\\d+(:\\d+)+");
        }
        KeyedLimits hourly = limits(LimitStrategy.FIXED_WINDOW, 1_000_000, Duration.ofDays(1));
        for (long remaining = 999_999; remaining > 999_990; remaining--) {
            assertThat(acquire(hourly, "another", 1).remaining(0)).isEqualTo(remaining);
        }
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
}
