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
 * for a while is then slower for all of them.
 */
public final class Benchmarks {

    private static final int ROUNDS = 2;

    private Benchmarks() {}

    /**
     * Runs a set.
     *
     * @param args {@code quick}, {@code full} or {@code http}; the directory for what JMH writes
     */
    public static void main(String[] args) throws IOException, RunnerException {
        String set = args[0];
        Path directory = Files.createDirectories(Path.of(args[1]));
        Table table =
                set.equals("http")
                        ? Table.ofDifferences("noLimiter")
                        : Table.ofRatios("floor", "ratelimit");
        for (int round = 1; round <= ROUNDS; round++) {
            for (Part part : parts(set)) {
                String name = set + "-" + part.name + "-" + round;
                System.err.println("Running " + name + " of " + ROUNDS);
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
            default -> throw new IllegalArgumentException("Not quick, full or http: " + set);
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
