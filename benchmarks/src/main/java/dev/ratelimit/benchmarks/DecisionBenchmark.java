package dev.ratelimit.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.failsafe.RateLimiterConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * One decision about one of many keys, by a token bucket or what comes closest to it.
 *
 * <p>{@link #floor} is what no exact limiter of many keys can do without: finding the key's state,
 * reading the clock, and changing the state.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g"})
public class DecisionBenchmark {

    @State(Scope.Benchmark)
    public static class Floor {

        private ConcurrentHashMap<String, AtomicLong> words;

        @Setup
        public void create(Workload workload) {
            words = workload.limiters(key -> new AtomicLong());
        }
    }

    @Benchmark
    public boolean floor(Floor floor, Caller caller) {
        AtomicLong word = floor.words.get(caller.nextKey());
        long now = System.nanoTime();
        return word.compareAndSet(word.get(), now);
    }

    @State(Scope.Benchmark)
    public static class Ratelimit {

        private dev.ratelimit.RateLimiter limiter;

        @Setup
        public void create(Workload workload) {
            limiter =
                    dev.ratelimit.RateLimiter.builder("benchmark")
                            .limit(
                                    workload.requests(),
                                    workload.window().toNanos(),
                                    TimeUnit.NANOSECONDS,
                                    LimitStrategy.TOKEN_BUCKET)
                            .maxKeys(workload.maxKeys())
                            .build();
            workload.prepare(key -> limiter.tryAcquire(key).allowed());
        }

        @TearDown
        public void close() {
            limiter.close();
        }
    }

    @Benchmark
    public boolean ratelimit(Ratelimit ratelimit, Caller caller, Blackhole blackhole) {
        long[] out = caller.out;
        boolean allowed = caller.told(ratelimit.limiter.tryAcquire(caller.nextKey(), 1, out));
        blackhole.consume(out[RateLimitStrategy.REMAINING]);
        blackhole.consume(out[RateLimitStrategy.RESET]);
        return allowed;
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {

        private ConcurrentHashMap<String, Bucket> buckets;

        @Setup
        public void create(Workload workload) {
            buckets = workload.limiters(key -> bucket(workload.requests(), workload.window()));
            workload.prepare(key -> buckets.get(key).tryConsume(1));
        }

        static Bucket bucket(long requests, Duration window) {
            Bandwidth bandwidth =
                    Bandwidth.builder().capacity(requests).refillGreedy(requests, window).build();
            return Bucket.builder().addLimit(bandwidth).withNanosecondPrecision().build();
        }
    }

    @Benchmark
    public boolean bucket4j(Bucket4j bucket4j, Caller caller) {
        return caller.told(bucket4j.buckets.get(caller.nextKey()).tryConsume(1));
    }

    @Benchmark
    public boolean bucket4jProbe(Bucket4j bucket4j, Caller caller, Blackhole blackhole) {
        Bucket bucket = bucket4j.buckets.get(caller.nextKey());
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
        blackhole.consume(probe.getRemainingTokens());
        blackhole.consume(probe.getNanosToWaitForReset());
        return caller.told(probe.isConsumed());
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {

        private ConcurrentHashMap<String, io.github.resilience4j.ratelimiter.RateLimiter> limiters;

        @Setup
        public void create(Workload workload) {
            var config =
                    io.github.resilience4j.ratelimiter.RateLimiterConfig.custom()
                            .limitForPeriod(workload.requests())
                            .limitRefreshPeriod(workload.window())
                            .timeoutDuration(Duration.ZERO)
                            .build();
            limiters =
                    workload.limiters(
                            key -> io.github.resilience4j.ratelimiter.RateLimiter.of(key, config));
            workload.prepare(key -> limiters.get(key).acquirePermission());
        }
    }

    @Benchmark
    public boolean resilience4j(Resilience4j resilience4j, Caller caller) {
        return caller.told(resilience4j.limiters.get(caller.nextKey()).acquirePermission());
    }

    @State(Scope.Benchmark)
    public static class Guava {

        private ConcurrentHashMap<String, RateLimiter> limiters;

        @Setup
        public void create(Workload workload) {
            double perSecond = (double) workload.requests() / workload.window().toSeconds();
            limiters = workload.limiters(key -> RateLimiter.create(perSecond));
            workload.prepare(key -> limiters.get(key).tryAcquire());
        }
    }

    @Benchmark
    public boolean guava(Guava guava, Caller caller) {
        return caller.told(guava.limiters.get(caller.nextKey()).tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Failsafe {

        private ConcurrentHashMap<String, dev.failsafe.RateLimiter<Object>> limiters;

        @Setup
        public void create(Workload workload) {
            RateLimiterConfig<Object> config =
                    dev.failsafe.RateLimiter.smoothBuilder(workload.requests(), workload.window())
                            .build()
                            .getConfig();
            limiters =
                    workload.limiters(
                            key -> dev.failsafe.RateLimiter.<Object>builder(config).build());
            workload.prepare(key -> limiters.get(key).tryAcquirePermit());
        }
    }

    @Benchmark
    public boolean failsafe(Failsafe failsafe, Caller caller) {
        return caller.told(failsafe.limiters.get(caller.nextKey()).tryAcquirePermit());
    }
}
