package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Refusals that an instance repeats by itself, of several rules together. */
class RefusalsTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final UnreliableScripts redis = new UnreliableScripts();
    private final RedisStore store = store(redis);

    private static RedisStore store(RedisScripts scripts) {
        return new RedisStore(
                scripts,
                UnreliableScripts.PREFIX,
                Duration.ofSeconds(10),
                new InMemoryStore(TimeSource.system()),
                System::nanoTime);
    }

    @BeforeEach
    void start() {
        RedisServer.common().flush();
        store.start();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private KeyedLimits daily(String rule, long requests) {
        return store.open(rule, List.of(limit(requests)), 1);
    }

    private static Limit limit(long requests) {
        return new Limit(LimitConfig.of(requests, DAY), LimitStrategy.FIXED_WINDOW.create());
    }

    private static List<Charge> demands(KeyedLimits... rules) {
        List<Charge> charges = new ArrayList<>();
        for (KeyedLimits limits : rules) {
            charges.add(new Charge(limits, "key", 1));
        }
        return charges;
    }

    @Test
    void a_request_that_one_of_two_rules_refuses_is_refused_again_without_a_round_trip() {
        KeyedLimits a = daily("a", 1);
        KeyedLimits b = daily("b", 500);
        assertThat(store.acquire(demands(a, b))).isTrue();
        redis.trips.set(0);

        for (int i = 0; i < 100; i++) {
            List<Charge> refused = demands(a, b);
            assertThat(store.acquire(refused)).isFalse();
            assertThat(refused.get(0).allowed()).isFalse();
            assertThat(refused.get(1).allowed()).isTrue();
            assertThat(refused.get(1).remaining(0)).isEqualTo(499);
        }

        assertThat(redis.trips.get()).isLessThan(5);
        assertThat(store.acquire(demands(b))).isTrue();
    }

    @Test
    void others_who_are_counted_by_the_other_rule_do_not_matter() {
        KeyedLimits a = daily("a", 1);
        KeyedLimits b = daily("b", 500);
        store.acquire(demands(a, b));
        redis.trips.set(0);

        for (int i = 0; i < 100; i++) {
            assertThat(store.acquire(demands(a, b))).isFalse();
            assertThat(store.acquire(demands(b))).isTrue();
        }

        assertThat(redis.trips.get()).isLessThan(100 + 5);
    }

    @Test
    void a_reset_a_refund_and_new_numbers_are_respected_at_once() {
        KeyedLimits a = daily("a", 1);
        KeyedLimits b = daily("b", 500);
        List<Charge> first = demands(a, b);
        store.acquire(first);
        assertThat(store.acquire(demands(a, b))).isFalse();
        assertThat(store.acquire(demands(a, b))).isFalse();

        a.reset("key");
        List<Charge> second = demands(a, b);
        assertThat(store.acquire(second)).isTrue();
        assertThat(store.acquire(demands(a, b))).isFalse();

        a.refund(second.get(0));
        assertThat(store.acquire(demands(a, b))).isTrue();
        assertThat(store.acquire(demands(a, b))).isFalse();

        a.update(LimitConfig.of(2, DAY));
        assertThat(store.acquire(demands(a, b))).isTrue();
        assertThat(store.acquire(demands(a, b))).isFalse();
    }

    @Test
    void other_keys_rules_and_costs_are_other_demands() {
        KeyedLimits a = daily("a", 3);
        KeyedLimits b = daily("b", 500);
        List<Charge> tooMany = List.of(new Charge(a, "key", 3), new Charge(b, "key", 1));
        assertThat(store.acquire(demands(a, b))).isTrue();
        assertThat(store.acquire(tooMany)).isFalse();

        assertThat(store.acquire(List.of(new Charge(a, "key", 2), new Charge(b, "key", 1))))
                .isTrue();
        assertThat(store.acquire(demands(a, b))).isFalse();
        assertThat(store.acquire(List.of(new Charge(a, "other", 1), new Charge(b, "key", 1))))
                .isTrue();
        assertThat(store.acquire(demands(b))).isTrue();
    }

    @Test
    void a_refusal_from_before_a_reset_is_not_remembered_after_it() {
        Refusals refusals = new Refusals();
        KeyedLimits a = daily("a", 1);
        store.acquire(demands(a));
        List<Charge> refused = demands(a);
        int[] before = refusals.givenBack(refused);
        store.acquire(refused);
        refusals.refused(refused, before, 0, 0);
        assertThat(refusals.answer(demands(a), 1)).isTrue();

        before = refusals.givenBack(refused);
        refusals.gaveBack(a, "key");
        refusals.refused(refused, before, 0, 0);

        assertThat(refusals.answer(demands(a), 1)).isFalse();
    }

    @Test
    void a_refusal_is_repeated_from_when_redis_was_asked_and_its_wait_counts_from_the_answer() {
        Refusals refusals = new Refusals();
        KeyedLimits a = daily("a", 1);
        store.acquire(demands(a));
        List<Charge> refused = demands(a);
        store.acquire(refused);
        long second = 1_000_000_000;
        refusals.refused(refused, refusals.givenBack(refused), 0, 300_000_000);

        List<Charge> again = demands(a);
        assertThat(refusals.answer(again, second - 1)).isTrue();
        assertThat(again.get(0).retryNanos(0))
                .isEqualTo(refused.get(0).retryNanos(0) - 700_000_000 + 1);
        assertThat(refusals.answer(demands(a), second)).isFalse();
    }

    @Test
    void a_long_key_is_not_remembered() {
        Refusals refusals = new Refusals();
        KeyedLimits a = daily("a", 1);
        String key = "k".repeat(301);
        Charge spent = new Charge(a, key, 1);
        store.acquire(List.of(spent));
        List<Charge> refused = List.of(new Charge(a, key, 1));
        store.acquire(refused);

        refusals.refused(refused, refusals.givenBack(refused), 0, 0);

        assertThat(refusals.answer(List.of(new Charge(a, key, 1)), 1)).isFalse();
    }

    @Test
    void who_is_refused_for_what_another_gives_back_is_not_refused_for_a_second() {
        AtEachRefund redis = new AtEachRefund(this.redis);
        try (RedisStore store = store(redis)) {
            KeyedLimits a = store.open("a", List.of(limit(1)), 1);
            KeyedLimits b = store.open("b", List.of(limit(2)), 1);
            store.acquire(demands(a, b));
            redis.action = () -> assertThat(store.acquire(demands(b))).isFalse();
            store.acquire(demands(a, b));
            redis.action = () -> {};

            assertThat(store.acquire(demands(b))).isTrue();
        }
    }

    static IntStream seeds() {
        return IntStream.range(0, 10);
    }

    /** Redis is asked the same at once, which it can be since a refusal changes nothing. */
    @ParameterizedTest
    @MethodSource("seeds")
    void the_limits_that_refuse_say_what_redis_would_say(long seed) {
        Random random = new Random(seed);
        ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        String prefix = ManualRedis.newPrefix();
        try (RateLimitStore repeating = ManualRedis.store(time, prefix, time::epochNanos);
                RateLimitStore asking = ManualRedis.askingStore(time, prefix)) {
            List<KeyedLimits> rules = new ArrayList<>();
            List<KeyedLimits> asked = new ArrayList<>();
            for (String rule : List.of("one", "two")) {
                List<Limit> limits = random.ints(2, 0, 4).mapToObj(i -> any(random, i)).toList();
                rules.add(repeating.open(rule, limits, 1));
                asked.add(asking.open(rule, limits, 1));
            }
            for (int step = 0; step < 200; step++) {
                time.advance(Duration.ofNanos(random.nextInt(300_000) * 1_000L));
                String key = random.nextBoolean() ? "a" : "b";
                long permits = 1 + random.nextInt(2);
                List<Charge> demands = demands(rules, key, permits);
                if (repeating.acquire(demands)) {
                    continue;
                }
                List<Charge> expected = demands(asked, key, permits);
                assertThat(asking.acquire(expected)).isFalse();
                for (int i = 0; i < demands.size(); i++) {
                    requireSameRefusal(demands.get(i), expected.get(i));
                }
            }
        }
    }

    private static Limit any(Random random, int strategy) {
        return new Limit(
                LimitConfig.of(2 + random.nextInt(4), Duration.ofMillis(500L << random.nextInt(4))),
                LimitStrategy.values()[strategy].create());
    }

    private static List<Charge> demands(List<KeyedLimits> rules, String key, long permits) {
        return rules.stream().map(limits -> new Charge(limits, key, permits)).toList();
    }

    private static void requireSameRefusal(Charge repeated, Charge expected) {
        assertThat(repeated.allowed()).isEqualTo(expected.allowed());
        for (int i = 0; i < expected.configured().size(); i++) {
            assertThat(repeated.retryNanos(i)).isEqualTo(expected.retryNanos(i));
            if (expected.retryNanos(i) != 0) {
                assertThat(repeated.remaining(i)).isEqualTo(expected.remaining(i));
                assertThat(repeated.growthNanos(i)).isEqualTo(expected.growthNanos(i));
                assertThat(repeated.resetEpochSeconds(i)).isEqualTo(expected.resetEpochSeconds(i));
            }
        }
    }

    /** Lets something happen between a refusal and the refund of what others spent. */
    private static final class AtEachRefund implements RedisScripts {

        private final RedisScripts scripts;
        private Runnable action = () -> {};

        AtEachRefund(RedisScripts scripts) {
            this.scripts = scripts;
        }

        @Override
        public List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime) {
            if (UnreliableScripts.isRefund(calls.get(0))) {
                action.run();
            }
            return scripts.run(calls, deadlineNanoTime);
        }

        @Override
        public void connect(boolean anew) {
            scripts.connect(anew);
        }

        @Override
        public void close() {}
    }
}
