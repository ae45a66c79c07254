package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManuallySwept;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.conformance.LimitShapes;
import dev.ratelimit.conformance.RandomSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The script and the strategies in memory, on the same random schedules under one clock: they say
 * the same, in microseconds.
 */
class TwinStoresTest {

    private static final boolean LONG = "long".equals(System.getProperty("ratelimit.stress"));

    private static final List<String> KEYS = List.of("a", "b");

    /** A clock that can go back. */
    private static final class Clock implements TimeSource {

        private long nowNanos;

        @Override
        public long epochNanos() {
            return nowNanos;
        }
    }

    private record Twin(KeyedLimits memory, KeyedLimits redis) {}

    private record Spent(List<Charge> memory, List<Charge> redis, String key) {}

    private final Clock clock = new Clock();
    private final RateLimitStore memory = new InMemoryStore(clock);
    private final RateLimitStore redis = ManualRedis.askingStore(clock, ManualRedis.newPrefix());
    private final List<Twin> rules = new ArrayList<>();
    private final List<Spent> spent = new ArrayList<>();
    private Random random = new Random();
    private RandomSteps steps = new RandomSteps(random);
    private long lastWaitNanos;
    private boolean stepsBack;
    private long seed;

    @AfterEach
    void close() {
        redis.close();
    }

    static IntStream seeds() {
        return IntStream.range(0, LONG ? 300 : 12);
    }

    static Stream<Arguments> strategiesAndSeeds() {
        return Arrays.stream(LimitStrategy.values())
                .flatMap(strategy -> seeds().mapToObj(seed -> Arguments.of(strategy, seed)));
    }

    private void start(long someSeed) {
        seed = someSeed;
        random = new Random(seed);
        steps = new RandomSteps(random);
        clock.nowNanos = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond() * 1_000_000_000;
    }

    private Twin open(Limit... limits) {
        Twin twin =
                new Twin(
                        new ManuallySwept(clock, 1_000, limits).limits(),
                        redis.open("rule-" + rules.size(), List.of(limits), 1));
        rules.add(twin);
        return twin;
    }

    private static Limit limit(LimitStrategy strategy, LimitConfig config) {
        return new Limit(config, strategy.create());
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private Limit anyLimit() {
        LimitStrategy strategy = any(List.of(LimitStrategy.values()));
        List<Limit> limits =
                LimitShapes.of(strategy)
                        .map(config -> limit(strategy, config))
                        .filter(ManualRedis::takes)
                        .toList();
        return any(limits);
    }

    private Limit[] anyLimits() {
        return Stream.generate(this::anyLimit).limit(1 + random.nextInt(3)).toArray(Limit[]::new);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void one_rule_of_several_limits(long seed) {
        start(seed);
        open(anyLimits());
        for (int step = 0; step < 200; step++) {
            step();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void several_rules_of_several_limits(long seed) {
        start(seed);
        open(anyLimits());
        open(anyLimits());
        open(anyLimits());
        for (int step = 0; step < 100; step++) {
            step();
        }
    }

    @ParameterizedTest
    @MethodSource("strategiesAndSeeds")
    void a_rule_whose_numbers_change(LimitStrategy strategy, long seed) {
        start(seed);
        Twin twin = open(limit(strategy, smallNumbers(strategy)));
        for (int step = 0; step < 150; step++) {
            if (random.nextInt(12) == 0) {
                update(twin, strategy);
            } else {
                step();
            }
        }
    }

    /**
     * Without logs and refunds: what is over when these are written is over for good in Redis, but
     * in memory may come back with the time.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void a_clock_that_steps_back(long seed) {
        start(seed);
        stepsBack = true;
        Class<?> log = LimitStrategy.SLIDING_LOG.create().getClass();
        open(
                Stream.generate(this::anyLimit)
                        .filter(limit -> !log.isInstance(limit.strategy()))
                        .filter(limit -> limit.config().requests() <= 1_000_000)
                        .limit(1 + random.nextInt(3))
                        .toArray(Limit[]::new));
        for (int step = 0; step < 200; step++) {
            if (random.nextInt(6) == 0) {
                long micros = 1 + random.nextInt(random.nextBoolean() ? 5_000_000 : 5_000);
                clock.nowNanos -= micros * 1_000;
            } else {
                step();
            }
        }
    }

    private void step() {
        String key = any(KEYS);
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> advance();
            case 4, 5 -> peek(any(rules), key);
            case 6, 7 -> refund();
            case 8 -> reset(key);
            default -> acquire(key);
        }
    }

    private void advance() {
        List<Limit> limits = any(rules).memory.limits();
        long nanos = steps.pauseNanos(any(limits).config(), clock.nowNanos, lastWaitNanos);
        clock.nowNanos += ceilMicros(nanos) * 1_000;
    }

    private void acquire(String key) {
        List<Twin> demanded = random.nextBoolean() ? rules : List.of(any(rules));
        acquire(demanded, key, permits(demanded.get(0), key));
    }

    private void acquire(List<Twin> demanded, String key, long permits) {
        List<Charge> inMemory = new ArrayList<>();
        List<Charge> inRedis = new ArrayList<>();
        for (Twin twin : demanded) {
            inMemory.add(new Charge(twin.memory, key, permits));
            inRedis.add(new Charge(twin.redis, key, permits));
        }
        boolean admitted = memory.acquire(inMemory);
        assertThat(redis.acquire(inRedis))
                .as("seed %s: acquire %s of %s", seed, permits, key)
                .isEqualTo(admitted);
        for (int i = 0; i < demanded.size(); i++) {
            requireSame(inMemory.get(i), inRedis.get(i));
        }
        if (admitted && !stepsBack) {
            spent.add(new Spent(inMemory, inRedis, key));
        }
    }

    private long permits(Twin twin, String key) {
        Charge asked = new Charge(twin.memory, key, 1);
        twin.memory.peek(asked);
        int limit = random.nextInt(asked.configured().size());
        return steps.permits(asked.configured().get(limit).config(), asked.remaining(limit));
    }

    private void peek(Twin twin, String key) {
        Charge inMemory = new Charge(twin.memory, key, 1);
        Charge inRedis = new Charge(twin.redis, key, 1);
        twin.memory.peek(inMemory);
        twin.redis.peek(inRedis);
        requireSame(inMemory, inRedis);
    }

    private void refund() {
        while (spent.size() > 10) {
            spent.remove(0);
        }
        if (spent.isEmpty()) {
            return;
        }
        Spent back = spent.remove(random.nextInt(spent.size()));
        back.memory.forEach(charge -> charge.limits().refund(charge));
        back.redis.forEach(charge -> charge.limits().refund(charge));
    }

    /** Redis does not know that a charge is from before a reset, so these are not given back. */
    private void reset(String key) {
        for (Twin twin : rules) {
            twin.memory.reset(key);
            twin.redis.reset(key);
        }
        spent.removeIf(charges -> charges.key.equals(key));
    }

    private void requireSame(Charge inMemory, Charge inRedis) {
        for (int i = 0; i < inMemory.configured().size(); i++) {
            Limit limit = inMemory.configured().get(i);
            assertThat(inRedis.remaining(i))
                    .as("seed %s: remaining, %s", seed, limit)
                    .isEqualTo(inMemory.remaining(i));
            assertThat(inRedis.growthNanos(i) / 1_000)
                    .as("seed %s: growth, %s", seed, limit)
                    .isEqualTo(ceilMicros(inMemory.growthNanos(i)));
            assertThat(micros(inRedis.retryNanos(i)))
                    .as("seed %s: wait, %s", seed, limit)
                    .isEqualTo(micros(inMemory.retryNanos(i)));
            assertThat(inRedis.resetEpochSeconds(i))
                    .as("seed %s: reset, %s", seed, limit)
                    .isEqualTo(inMemory.resetEpochSeconds(i));
        }
        assertThat(inRedis.allowed()).as("seed %s", seed).isEqualTo(inMemory.allowed());
        assertThat(inRedis.epochNanos()).as("seed %s", seed).isEqualTo(inMemory.epochNanos());
        lastWaitNanos =
                Math.max(
                        random.nextBoolean()
                                ? inMemory.retryNanos(inMemory.deciding())
                                : inMemory.growthNanos(inMemory.deciding()),
                        0);
    }

    private static long micros(long waitNanos) {
        return waitNanos < 0 ? waitNanos : ceilMicros(waitNanos);
    }

    private static long ceilMicros(long nanos) {
        return -Math.floorDiv(-nanos, 1_000L);
    }

    private LimitConfig smallNumbers(LimitStrategy strategy) {
        long millis = any(List.of(10L, 1_000L, 3_000L, 60_000L, 3_600_000L));
        LimitConfig config = LimitConfig.of(1 + random.nextInt(20), Duration.ofMillis(millis));
        return strategy == LimitStrategy.TOKEN_BUCKET && random.nextBoolean()
                ? config.withBurst(1 + random.nextInt(40))
                : config;
    }

    /**
     * In memory new numbers apply at once, in Redis to each key from the first admission on. Until
     * then the two differ, and so that begins at once here.
     */
    private void update(Twin twin, LimitStrategy strategy) {
        LimitConfig before = twin.memory.limits().get(0).config();
        LimitConfig after = smallNumbers(strategy);
        twin.memory.update(after);
        twin.redis.update(after);
        boolean redisKnowsMore =
                strategy == LimitStrategy.SLIDING_LOG && after.windowNanos() > before.windowNanos()
                        || strategy == LimitStrategy.SLIDING_WINDOW
                                && after.requests() < before.requests();
        for (String key : KEYS) {
            long inMemory = remaining(twin.memory, key);
            long inRedis = remaining(twin.redis, key);
            if (redisKnowsMore) {
                assertThat(inRedis).as("seed %s", seed).isBetween(0L, inMemory);
            } else {
                assertThat(inRedis)
                        .as("seed %s: from %s to %s", seed, before, after)
                        .isEqualTo(inMemory);
            }
            if (inMemory > 0 && !redisKnowsMore) {
                acquire(List.of(twin), key, 1);
            } else {
                reset(key);
            }
        }
    }

    private static long remaining(KeyedLimits limits, String key) {
        Charge charge = new Charge(limits, key, 1);
        limits.peek(charge);
        return charge.remaining(0);
    }
}
