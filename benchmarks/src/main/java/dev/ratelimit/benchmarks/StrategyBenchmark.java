package dev.ratelimit.benchmarks;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * One decision by each strategy, under one limit and under two. There must be so many keys that
 * none is asked for as often as its limit allows: 1000 are enough.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g"})
public class StrategyBenchmark {

    @State(Scope.Benchmark)
    public static class Limiter {

        @Param public LimitStrategy strategy;

        @Param({"1", "2"})
        public int limits;

        private RateLimiter limiter;

        @Setup
        public void create(Workload workload) {
            // A sliding log is as long as its limit, so this is as many as one would give it.
            long requests = workload.allowed() ? 1000 : 1;
            TimeUnit unit = workload.allowed() ? TimeUnit.MILLISECONDS : TimeUnit.DAYS;
            RateLimiter.Builder builder =
                    RateLimiter.builder("benchmark").maxKeys(workload.maxKeys());
            for (int i = 1; i <= limits; i++) {
                builder.limit(i * requests, i, unit, strategy);
            }
            limiter = builder.build();
            workload.prepare(key -> limiter.tryAcquire(key).allowed());
        }

        @TearDown
        public void close() {
            limiter.close();
        }
    }

    @Benchmark
    public boolean strategy(Limiter limiter, Caller caller, Blackhole blackhole) {
        long[] out = caller.out;
        boolean allowed = caller.told(limiter.limiter.tryAcquire(caller.nextKey(), 1, out));
        blackhole.consume(out[RateLimitStrategy.REMAINING]);
        blackhole.consume(out[RateLimitStrategy.RESET]);
        return allowed;
    }
}
