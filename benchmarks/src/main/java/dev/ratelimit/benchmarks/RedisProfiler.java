package dev.ratelimit.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Counts how many decisions there are in a second, and what each costs: commands to the Redis
 * server, and microseconds of processors, by this JVM, the server and the scripts in it.
 */
public final class RedisProfiler implements InternalProfiler {

    static final String DECISIONS = "decisions";
    static final String COMMANDS = "commands";
    static final String SCRIPT = "script";
    static final String SERVER = "server";
    static final String CLIENT = "client";

    private Reading before;

    @Override
    public String getDescription() {
        return "Decisions per second, and the commands and processor time of each";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = Reading.take();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        Reading spent = Reading.take().minus(before);
        double decisions = result.getMetadata().getAllOps();
        return List.of(
                scalar(DECISIONS, decisions / spent.seconds, "1/s"),
                scalar(COMMANDS, spent.commands() / decisions, "1"),
                scalar(SCRIPT, spent.scriptMicros / decisions, "us"),
                scalar(SERVER, spent.serverMicros / decisions, "us"),
                scalar(CLIENT, spent.clientMicros / decisions, "us"));
    }

    private static ScalarResult scalar(String label, double value, String unit) {
        return new ScalarResult(label, value, unit, AggregationPolicy.AVG);
    }

    /** Counters of this JVM and of the server, which only grow. */
    private record Reading(
            double seconds,
            double evalshas,
            double gets,
            double scriptMicros,
            double serverMicros,
            double clientMicros) {

        static Reading take() {
            RedisServer server = RedisServer.get();
            Properties stats = server.info("commandstats");
            Properties cpu = server.info("cpu");
            return new Reading(
                    System.nanoTime() / 1e9,
                    sum(stats, "calls", "evalsha"),
                    sum(stats, "calls", "get"),
                    sum(stats, "usec", "evalsha", "eval"),
                    1e6 * (number(cpu, "used_cpu_user") + number(cpu, "used_cpu_sys")),
                    cpuNanos() / 1e3);
        }

        private static long cpuNanos() {
            var system = ManagementFactory.getOperatingSystemMXBean();
            return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime();
        }

        private static double sum(Properties stats, String field, String... commands) {
            return Stream.of(commands)
                    .map(command -> stats.getProperty("cmdstat_" + command, ""))
                    .flatMap(fields -> Stream.of(fields.split(",")))
                    .filter(text -> text.startsWith(field + "="))
                    .mapToDouble(text -> Double.parseDouble(text.substring(field.length() + 1)))
                    .sum();
        }

        private static double number(Properties info, String name) {
            return Double.parseDouble(info.getProperty(name));
        }

        Reading minus(Reading other) {
            return new Reading(
                    seconds - other.seconds,
                    evalshas - other.evalshas,
                    gets - other.gets,
                    scriptMicros - other.scriptMicros,
                    serverMicros - other.serverMicros,
                    clientMicros - other.clientMicros);
        }

        /**
         * The commands that came over the connection; the server also counts those in scripts. All
         * send {@code EVALSHA} and nothing else, but for Bucket4j: it sends {@code GET}, and {@code
         * EVAL} of a script with one {@code GET}, so that there are as many of these as commands.
         */
        double commands() {
            return evalshas == 0 ? gets : evalshas;
        }
    }
}
