package dev.ratelimit.benchmarks;

import dev.ratelimit.Charge;
import dev.ratelimit.InMemoryStore;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.redis.RedisStore;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.NopeOptimizationListener;
import io.github.bucket4j.distributed.proxy.optimization.skiponzero.SkipSyncOnZeroOptimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * One decision about one of many keys, by a token bucket in Redis. All threads of a benchmark share
 * one connection, send asynchronous commands and wait for the replies.
 *
 * <p>{@link #floor} is what no limiter that asks Redis can do without: one script that does
 * nothing.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
public class RedisBenchmark {

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A script that the server knows. */
    private static final class Script {

        private final RedisAsyncCommands<byte[], byte[]> commands = RedisServer.get().commands();
        private final String digest;

        Script(byte[] text) {
            digest = RedisServer.await(commands.scriptLoad(text));
        }

        List<Object> run(byte[][] keys, byte[]... arguments) {
            return RedisServer.await(
                    commands.evalsha(digest, ScriptOutputType.MULTI, keys, arguments));
        }
    }

    @State(Scope.Benchmark)
    public static class Floor {

        private final Script script = new Script(bytes("return {1}"));
    }

    @Benchmark
    public List<Object> floor(Floor floor, Caller caller) {
        return floor.script.run(new byte[][] {bytes(caller.nextKey())});
    }

    /** The starter's store. */
    @State(Scope.Benchmark)
    public static class Ratelimit {

        private RedisStore store;
        private KeyedLimits limits;

        @Setup
        public void open(Workload workload) {
            RedisServer.get().flush();
            store =
                    RedisStore.open(
                            RedisServer.get().connections(),
                            "ratelimit:",
                            Duration.ofSeconds(RedisServer.TIMEOUT_SECONDS),
                            new InMemoryStore(TimeSource.system()));
            limits = store.open("benchmark", List.of(limit(workload)), workload.maxKeys());
            workload.prepareByThreads(key -> ask(key).allowed());
        }

        Limit limit(Workload workload) {
            return new Limit(
                    LimitConfig.of(1, workload.window()).withBurst(workload.requests()),
                    LimitStrategy.TOKEN_BUCKET.create());
        }

        Charge ask(String key) {
            Charge charge = new Charge(limits, key, 1);
            limits.acquire(charge);
            return charge;
        }

        boolean tryAcquire(Caller caller, Blackhole blackhole) {
            Charge charge = ask(caller.nextKey());
            blackhole.consume(charge.remaining(charge.deciding()));
            blackhole.consume(charge.resetEpochSeconds(charge.deciding()));
            return caller.told(charge.allowed());
        }

        @TearDown
        public void close() {
            limits.close();
            store.close();
        }
    }

    @Benchmark
    public boolean ratelimit(Ratelimit ratelimit, Caller caller, Blackhole blackhole) {
        return ratelimit.tryAcquire(caller, blackhole);
    }

    /** The starter's store under another strategy, which admits all there can be. */
    @State(Scope.Benchmark)
    public static class OtherStrategy extends Ratelimit {

        @Param({"FIXED_WINDOW", "SLIDING_WINDOW", "SLIDING_LOG"})
        public LimitStrategy strategy;

        @Override
        Limit limit(Workload workload) {
            LimitConfig config =
                    strategy == LimitStrategy.SLIDING_LOG
                            ? LimitConfig.of(10_000, Duration.ofMillis(50))
                            : LimitConfig.of(workload.requests(), workload.window());
            return new Limit(config, strategy.create());
        }
    }

    @Benchmark
    public boolean ratelimitBy(OtherStrategy ratelimit, Caller caller, Blackhole blackhole) {
        return ratelimit.tryAcquire(caller, blackhole);
    }

    /** The script of Spring Cloud Gateway, which is told whole permits per second. */
    @State(Scope.Benchmark)
    public static class Gateway {

        private static final String SCRIPT = "META-INF/scripts/request_rate_limiter.lua";

        private Script script;
        private byte[][] arguments;

        @Setup
        public void load(Workload workload) throws IOException {
            RedisServer.get().flush();
            try (InputStream text = ClassLoader.getSystemResourceAsStream(SCRIPT)) {
                script = new Script(text.readAllBytes());
            }
            long perSecond = 1;
            long requested = workload.window().toSeconds();
            long capacity = requested * workload.requests();
            arguments =
                    Stream.of(perSecond, capacity, "", requested)
                            .map(argument -> bytes(argument.toString()))
                            .toArray(byte[][]::new);
            workload.prepareByThreads(key -> isAllowed(ask(key)));
        }

        List<Object> ask(String key) {
            String tagged = "request_rate_limiter.{benchmark." + key + "}";
            byte[][] keys = {bytes(tagged + ".tokens"), bytes(tagged + ".timestamp")};
            return script.run(keys, arguments);
        }

        static boolean isAllowed(List<Object> reply) {
            return (Long) reply.get(0) == 1;
        }
    }

    @Benchmark
    public boolean gateway(Gateway gateway, Caller caller, Blackhole blackhole) {
        List<Object> reply = gateway.ask(caller.nextKey());
        blackhole.consume(reply.get(1));
        return caller.told(Gateway.isAllowed(reply));
    }

    /** Bucket4j's manager, as its documentation builds one. */
    @State(Scope.Benchmark)
    public static class Bucket4j {

        private ConcurrentHashMap<String, BucketProxy> buckets;

        @Setup
        public void create(Workload workload) {
            RedisServer.get().flush();
            ProxyManager<byte[]> manager =
                    Bucket4jLettuce.casBasedBuilder(RedisServer.get().commands())
                            .expirationAfterWrite(
                                    ExpirationAfterWriteStrategy
                                            .basedOnTimeForRefillingBucketUpToMax(
                                                    Duration.ofSeconds(10)))
                            .build();
            BucketConfiguration configuration =
                    BucketConfiguration.builder()
                            .addLimit(
                                    Bandwidth.builder()
                                            .capacity(workload.requests())
                                            .refillGreedy(1, workload.window())
                                            .build())
                            .build();
            buckets =
                    workload.limiters(
                            key -> builder(manager).build(bytes(key), () -> configuration));
            workload.prepareByThreads(key -> buckets.get(key).tryConsume(1));
        }

        RemoteBucketBuilder<byte[]> builder(ProxyManager<byte[]> manager) {
            return manager.builder();
        }

        boolean tryConsume(Caller caller, Blackhole blackhole) {
            BucketProxy bucket = buckets.get(caller.nextKey());
            ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
            blackhole.consume(probe.getRemainingTokens());
            blackhole.consume(probe.getNanosToWaitForReset());
            return caller.told(probe.isConsumed());
        }
    }

    @Benchmark
    public boolean bucket4j(Bucket4j bucket4j, Caller caller, Blackhole blackhole) {
        return bucket4j.tryConsume(caller, blackhole);
    }

    /**
     * The same with what Bucket4j has for a hot key: threads that wait for each other send one
     * command together, and a bucket that is known to be empty is not asked for.
     */
    @State(Scope.Benchmark)
    public static class OptimizedBucket4j extends Bucket4j {

        @Override
        RemoteBucketBuilder<byte[]> builder(ProxyManager<byte[]> manager) {
            return manager.builder()
                    .withOptimization(
                            new SkipSyncOnZeroOptimization(
                                    NopeOptimizationListener.INSTANCE,
                                    TimeMeter.SYSTEM_MILLISECONDS));
        }
    }

    @Benchmark
    public boolean bucket4jOptimized(
            OptimizedBucket4j bucket4j, Caller caller, Blackhole blackhole) {
        return bucket4j.tryConsume(caller, blackhole);
    }
}
