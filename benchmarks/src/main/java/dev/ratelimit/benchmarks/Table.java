package dev.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;

/** What benchmarks cost, as Markdown: grouped by their conditions, the fastest of a group first. */
final class Table {

    private final Map<Line, Cost> costs = new HashMap<>();
    private final List<Column> columns = new ArrayList<>();

    private Table() {
        column("outcome", line -> line.outcome);
        column("keys", line -> line.keys);
        column("threads", line -> String.valueOf(line.threads));
        column("benchmark", line -> line.benchmark);
        column("ns", line -> decimal(1, nanos(line)));
        column("ns in each JVM", line -> costs.get(line).eachNanos());
        column("bytes", line -> decimal(0, bytes(line)));
    }

    /** Compares the time of each benchmark with that of a floor, and that of a subject with it. */
    static Table ofRatios(String floor, String subject) {
        Table table = new Table();
        table.column(
                "÷ " + floor,
                line -> decimal(2, table.nanos(line) / table.nanos(line.withBenchmark(floor))));
        table.column(
                subject + " ÷ it",
                line -> decimal(2, table.nanos(line.withBenchmark(subject)) / table.nanos(line)));
        return table;
    }

    /** Shows by how much each benchmark exceeds a base. */
    static Table ofDifferences(String base) {
        Table table = new Table();
        table.column(
                "ns over " + base,
                line -> decimal(1, table.nanos(line) - table.nanos(line.withBenchmark(base))));
        table.column(
                "bytes over " + base,
                line -> decimal(0, table.bytes(line) - table.bytes(line.withBenchmark(base))));
        return table;
    }

    private void column(String title, Function<Line, String> cell) {
        columns.add(new Column(title, cell));
    }

    private double nanos(Line line) {
        return Cost.mean(costs.get(line).nanos);
    }

    private double bytes(Line line) {
        return Cost.mean(costs.get(line).bytes);
    }

    private static String decimal(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    void add(RunResult result) {
        costs.computeIfAbsent(Line.of(result.getParams()), line -> new Cost()).add(result);
    }

    @Override
    public String toString() {
        Comparator<Line> order =
                Comparator.comparing((Line line) -> line.outcome)
                        .thenComparing(line -> line.threads)
                        .thenComparing(line -> line.keys)
                        .thenComparing(this::nanos);
        Stream<List<String>> lines =
                costs.keySet().stream()
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

    /** What a benchmark has cost in each JVM that ran it, per decision. */
    private static final class Cost {

        final List<Double> nanos = new ArrayList<>();
        final List<Double> bytes = new ArrayList<>();

        void add(RunResult result) {
            nanos.add(result.getPrimaryResult().getScore());
            bytes.add(result.getSecondaryResults().get("gc.alloc.rate.norm").getScore());
        }

        static double mean(List<Double> values) {
            return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
        }

        String eachNanos() {
            return nanos.stream().map(value -> decimal(1, value)).collect(Collectors.joining(", "));
        }
    }
}
