package dev.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;

/** What benchmarks cost, as Markdown: grouped by their conditions, the fastest of a group first. */
final class Table {

    private static final ToDoubleFunction<RunResult> BYTES = secondary("gc.alloc.rate.norm");
    private static final ToDoubleFunction<RunResult> DECISIONS = secondary(RedisProfiler.DECISIONS);

    private final Map<Line, List<RunResult>> results = new HashMap<>();
    private final List<Column> columns = new ArrayList<>();

    private Table() {
        column("outcome", line -> line.outcome);
        column("keys", line -> line.keys);
        column("threads", line -> String.valueOf(line.threads));
        column("benchmark", line -> line.benchmark);
    }

    private static Table ofNanos() {
        Table table = new Table();
        table.column("ns", 1, Table::time);
        table.columnOfEach("ns in each JVM", 1, Table::time);
        table.column("bytes", 0, BYTES);
        return table;
    }

    /** Compares the time of each benchmark with that of a floor, and that of a subject with it. */
    static Table ofRatios(String floor, String subject) {
        Table table = ofNanos();
        table.column(
                "÷ " + floor, line -> table.ratio(Table::time, line, line.withBenchmark(floor)));
        table.column(
                subject + " ÷ it",
                line -> table.ratio(Table::time, line.withBenchmark(subject), line));
        return table;
    }

    /** Shows by how much each benchmark exceeds a base. */
    static Table ofDifferences(String base) {
        Table table = ofNanos();
        table.column(
                "ns over " + base, line -> decimal(1, table.difference(Table::time, line, base)));
        table.column("bytes over " + base, line -> decimal(0, table.difference(BYTES, line, base)));
        return table;
    }

    /** Compares how many decisions a subject makes by Redis with how many each benchmark does. */
    static Table ofRedis(String subject) {
        Table table = new Table();
        table.column("decisions/s", 0, DECISIONS);
        table.columnOfEach("in each round", 0, DECISIONS);
        table.column("commands", 3, secondary(RedisProfiler.COMMANDS));
        table.column("p50 µs", 2, percentile(50));
        table.column("p99 µs", 2, percentile(99));
        table.column("client µs", 1, secondary(RedisProfiler.CLIENT));
        table.column("server µs", 1, secondary(RedisProfiler.SERVER));
        table.column("script µs", 1, secondary(RedisProfiler.SCRIPT));
        table.column(
                subject + " ÷ it",
                line -> table.ratio(DECISIONS, line.withBenchmark(subject), line));
        return table;
    }

    private static double time(RunResult result) {
        return result.getPrimaryResult().getScore();
    }

    private static ToDoubleFunction<RunResult> secondary(String label) {
        return result -> result.getSecondaryResults().get(label).getScore();
    }

    private static ToDoubleFunction<RunResult> percentile(double rank) {
        return result -> result.getPrimaryResult().getStatistics().getPercentile(rank);
    }

    private void column(String title, Function<Line, String> cell) {
        columns.add(new Column(title, cell));
    }

    private void column(String title, int digits, ToDoubleFunction<RunResult> measure) {
        column(title, line -> decimal(digits, mean(measure, line)));
    }

    private void columnOfEach(String title, int digits, ToDoubleFunction<RunResult> measure) {
        column(
                title,
                line ->
                        results.get(line).stream()
                                .map(result -> decimal(digits, measure.applyAsDouble(result)))
                                .collect(Collectors.joining(", ")));
    }

    private double mean(ToDoubleFunction<RunResult> measure, Line line) {
        return results.get(line).stream().mapToDouble(measure).average().orElseThrow();
    }

    private String ratio(ToDoubleFunction<RunResult> measure, Line dividend, Line divisor) {
        return decimal(2, mean(measure, dividend) / mean(measure, divisor));
    }

    private double difference(ToDoubleFunction<RunResult> measure, Line line, String base) {
        return mean(measure, line) - mean(measure, line.withBenchmark(base));
    }

    private static String decimal(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    void add(RunResult result) {
        results.computeIfAbsent(Line.of(result.getParams()), line -> new ArrayList<>()).add(result);
    }

    @Override
    public String toString() {
        Comparator<Line> order =
                Comparator.comparing((Line line) -> line.outcome)
                        .thenComparing(line -> line.threads)
                        .thenComparing(line -> line.keys)
                        .thenComparing(line -> mean(Table::time, line));
        Stream<List<String>> lines =
                results.keySet().stream()
                        .sorted(order)
                        .map(line -> cells(column -> column.cell.apply(line)));
        return Stream.of(Stream.of(cells(Column::title), cells(column -> "---")), lines)
                .flatMap(Function.identity())
                .map(cells -> "| " + String.join(" | ", cells) + " |\n")
                .collect(Collectors.joining());
    }

    private List<String> cells(Function<Column, String> text) {
        return columns.stream().map(text).toList();
    }

    private record Column(String title, Function<Line, String> cell) {}

    /** A benchmark and its conditions. */
    private record Line(String outcome, String keys, int threads, String benchmark) {

        static Line of(BenchmarkParams params) {
            String method = params.getBenchmark();
            String benchmark = method.substring(method.lastIndexOf('.') + 1);
            String details =
                    params.getParamsKeys().stream()
                            .filter(name -> !name.equals("outcome") && !name.equals("keys"))
                            .map(name -> ", " + name + " " + params.getParam(name))
                            .collect(Collectors.joining());
            return new Line(
                    param(params, "outcome"),
                    param(params, "keys"),
                    params.getThreads(),
                    benchmark + details);
        }

        private static String param(BenchmarkParams params, String name) {
            return params.getParamsKeys().contains(name) ? params.getParam(name) : "";
        }

        Line withBenchmark(String other) {
            return new Line(outcome, keys, threads, other);
        }
    }
}
