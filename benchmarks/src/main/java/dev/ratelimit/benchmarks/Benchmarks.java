package dev.ratelimit.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs a set of benchmarks and prints what they cost as a table; {@code benchmarks/run} starts it.
 *
 * <p>Each benchmark runs in two JVMs, and all the others run in between: a machine that is slower
 * for a while is then slower for all of them. Those of Redis run three times in this JVM instead:
 * to start one with a server and a connection takes longer than to measure.
 */
public final class Benchmarks {

    private Benchmarks() {}

    /**
     * Runs a set.
     *
     * @param args {@code quick}, {@code full}, {@code http} or {@code redis}; the directory for
     *     what JMH writes
     */
    public static void main(String[] args) throws IOException, RunnerException {
        String set = args[0];
        Path directory = Files.createDirectories(Path.of(args[1]));
        Table table =
                switch (set) {
                    case "http" -> Table.ofDifferences("noLimiter");
                    case "redis" -> Table.ofRedis("ratelimit");
                    default -> Table.ofRatios("floor", "ratelimit");
                };
        int rounds = 2;
        if (set.equals("redis")) {
            rounds = 3;
            warmUpForRedis().run(directory.resolve("redis-warm-up"));
        }
        for (int round = 1; round <= rounds; round++) {
            for (Part part : parts(set)) {
                String name = set + "-" + part.name + "-" + round;
                System.err.println("Running " + name + " of " + rounds);
                for (RunResult result : part.run(directory.resolve(name))) {
                    table.add(result);
                }
            }
        }
        System.out.print(table);
    }

    private static List<Part> parts(String set) {
        return switch (set) {
            case "quick" -> List.of(quick(1), quick(2));
            case "full" -> List.of(decisions(1), strategies(1), decisions(2), strategies(2));
            case "http" -> List.of(new Part("http", HttpBenchmark.class.getSimpleName(), 1));
            case "redis" ->
                    List.of(
                            redis(1),
                            redisAtOneKey(1, "floor"),
                            redis(16),
                            redisAtOneKey(16, "floor|ratelimitBy"),
                            redis(64),
                            redisAtOneKey(64, "floor"));
            default -> throw new IllegalArgumentException("Not quick, full, http or redis: " + set);
        };
    }

    private static Part quick(int threads) {
        Part part =
                new Part(
                        "decisions",
                        "DecisionBenchmark\\.(floor|ratelimit|bucket4j|bucket4jProbe)$",
                        threads);
        part.options.param("keys", "1", "1000").measurementTime(TimeValue.milliseconds(400));
        return part;
    }

    private static Part decisions(int threads) {
        return new Part("decisions", DecisionBenchmark.class.getSimpleName(), threads);
    }

    private static Part strategies(int threads) {
        Part part = new Part("strategies", StrategyBenchmark.class.getSimpleName(), threads);
        part.options.param("keys", "1000");
        return part;
    }

    private static Part redis(int threads) {
        Part part = redis("redis", "ratelimit|gateway|bucket4j|bucket4jOptimized", threads);
        part.options.param("keys", "1", "10000");
        return part;
    }

    private static Part redisAtOneKey(int threads, String methods) {
        Part part = redis("one-key", methods, threads);
        part.options.param("keys", "1").param("outcome", "allowed");
        return part;
    }

    private static Part warmUpForRedis() {
        Part part = redisAtOneKey(16, ".*");
        part.options.measurementTime(TimeValue.seconds(3));
        return part;
    }

    private static Part redis(String name, String methods, int threads) {
        Part part = new Part(name, "RedisBenchmark\\.(" + methods + ")$", threads);
        part.options
                .forks(0)
                .addProfiler(RedisProfiler.class)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(500))
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(1500));
        return part;
    }

    /** Benchmarks that run with one number of threads. */
    private static final class Part {

        final String name;
        final ChainedOptionsBuilder options;

        Part(String name, String include, int threads) {
            this.name = name + "-" + threads;
            this.options =
                    new OptionsBuilder()
                            .include(include)
                            .threads(threads)
                            .forks(1)
                            .shouldFailOnError(true)
                            .addProfiler(GCProfiler.class)
                            .resultFormat(ResultFormatType.JSON);
        }

        Iterable<RunResult> run(Path output) throws RunnerException {
            options.result(output + ".json").output(output + ".log");
            return new Runner(options.build()).run();
        }
    }
}
