package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** C46: the clocks of instances do not matter, and that of the server may step back. */
class ServerClockTest {

    private static final long WINDOW_MICROS = 1_000_000;
    private static final int REQUESTS = 4;

    @Configuration(proxyBeanMethods = false)
    static class Late {

        @Bean
        TimeSource timeSource() {
            return () -> TimeSource.system().epochNanos() - Duration.ofSeconds(10).toNanos();
        }
    }

    @Test
    void an_instance_whose_clock_is_late_does_not_fill_the_bucket_again() {
        RedisServer.common().flush();
        String[] rule = {
            "--ratelimit.rules.search.strategy=token-bucket",
            "--ratelimit.rules.search.requests=2",
            "--ratelimit.rules.search.window=1s",
            "--ratelimit.rules.search.burst=4"
        };
        try (Instance one = Instance.start(RedisServer.common().port, rule);
                Instance late = Instance.start(RedisServer.common().port, Late.class, rule)) {
            assertThat(one.decides() && late.decides()).isTrue();
            one.rule("search").reset("key");
            long startNanoTime = System.nanoTime();
            int admitted = 0;
            for (int i = 0; i < 11; i++) {
                admitted += (i == 5 ? late : one).allowed() ? 1 : 0;
            }
            double seconds = (System.nanoTime() - startNanoTime) / 1e9;

            assertThat(admitted).isBetween(4, 4 + (int) (2 * seconds));
        }
    }

    static IntStream seeds() {
        return IntStream.range(0, 5);
    }

    private record Admission(long micros, long permits) {}

    /** The time of an admission is the latest of the admissions so far. */
    private static List<Admission> admissions(LimitStrategy strategy, long seed) {
        Random random = new Random(seed);
        AtomicLong micros = new AtomicLong(1_767_225_600_000_000L);
        List<Admission> admissions = new ArrayList<>();
        TimeSource clock = () -> micros.get() * 1_000;
        try (RateLimitStore store = ManualRedis.askingStore(clock, ManualRedis.newPrefix())) {
            Limit limit =
                    new Limit(LimitConfig.of(REQUESTS, Duration.ofSeconds(1)), strategy.create());
            KeyedLimits limits = store.open("rule", List.of(limit), 1);
            long latest = 0;
            for (int step = 0; step < 200; step++) {
                micros.addAndGet(
                        random.nextInt(10) == 0
                                ? -random.nextInt(10_000_000)
                                : random.nextInt(1_000_000));
                Charge charge = new Charge(limits, "key", 1 + random.nextInt(2));
                if (limits.acquire(charge)) {
                    latest = Math.max(latest, micros.get());
                    admissions.add(new Admission(latest, charge.permits()));
                }
            }
        }
        assertThat(admissions).hasSizeGreaterThan(20);
        return admissions;
    }

    /** The most that was admitted in any stretch shorter than a window. */
    private static long mostInWindow(List<Admission> admissions) {
        long most = 0;
        for (int i = 0; i < admissions.size(); i++) {
            long sum = 0;
            long first = admissions.get(i).micros;
            for (int j = i;
                    j < admissions.size() && admissions.get(j).micros - first < WINDOW_MICROS;
                    j++) {
                sum += admissions.get(j).permits;
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_log_admits_no_more_than_its_requests_in_any_window(long seed) {
        assertThat(mostInWindow(admissions(LimitStrategy.SLIDING_LOG, seed)))
                .isLessThanOrEqualTo(REQUESTS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_sliding_window_admits_less_than_twice_its_requests_in_any_window(long seed) {
        assertThat(mostInWindow(admissions(LimitStrategy.SLIDING_WINDOW, seed)))
                .isLessThan(2 * REQUESTS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_fixed_window_admits_no_more_than_its_requests_in_each(long seed) {
        List<Admission> admissions = admissions(LimitStrategy.FIXED_WINDOW, seed);
        for (Admission one : admissions) {
            long window = one.micros / WINDOW_MICROS;
            long sum =
                    admissions.stream()
                            .filter(other -> other.micros / WINDOW_MICROS == window)
                            .mapToLong(Admission::permits)
                            .sum();
            assertThat(sum).isLessThanOrEqualTo(REQUESTS);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_token_bucket_admits_no_more_than_its_burst_and_what_was_earned(long seed) {
        List<Admission> admissions = admissions(LimitStrategy.TOKEN_BUCKET, seed);
        for (int i = 0; i < admissions.size(); i++) {
            long sum = 0;
            for (int j = i; j < admissions.size(); j++) {
                sum += admissions.get(j).permits;
                long micros = admissions.get(j).micros - admissions.get(i).micros;
                assertThat(sum * WINDOW_MICROS)
                        .isLessThanOrEqualTo(REQUESTS * (WINDOW_MICROS + micros));
            }
        }
    }
}
