package dev.ratelimit.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What {@code docs/strategies.md} says, read so that it can be tried. */
final class StrategiesDoc {

    private static final Pattern CAPTION =
            Pattern.compile(
                    "\\*\\*(?:`(?<strategy>\\w+)`, )?(?<requests>\\d+) per (?<window>\\d+) s"
                            + "(?:, burst (?<burst>\\d+))?\\*\\*");
    private static final Pattern SECONDS = Pattern.compile("(\\d+(?:\\.\\d+)?) s");
    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\n(.*?)^```$");
    private static final Pattern CLASS = Pattern.compile("public final class (\\w+)");

    private final String text;

    private StrategiesDoc(String text) {
        this.text = text;
    }

    static StrategiesDoc read() {
        return new StrategiesDoc(Repository.read("docs/strategies.md"));
    }

    /**
     * A table under a caption.
     *
     * @param caption what it is about
     * @param strategy which strategy, or empty where each column is about one
     * @param burst 0 where none is given
     * @param rows cells by the header of their column
     */
    record Timeline(
            String caption,
            String strategy,
            long requests,
            Duration window,
            long burst,
            List<Map<String, String>> rows) {

        @Override
        public String toString() {
            return caption;
        }
    }

    List<Timeline> timelines() {
        List<Timeline> timelines = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            Matcher caption = CAPTION.matcher(lines.get(i));
            if (caption.matches()) {
                String strategy = caption.group("strategy");
                String burst = caption.group("burst");
                timelines.add(
                        new Timeline(
                                lines.get(i).replaceAll("[*`]", ""),
                                strategy == null ? "" : strategy,
                                Long.parseLong(caption.group("requests")),
                                Duration.ofSeconds(Long.parseLong(caption.group("window"))),
                                burst == null ? 0 : Long.parseLong(burst),
                                table(lines, i + 2)));
            }
        }
        return timelines;
    }

    long countTablesOfInstants() {
        return text.lines().filter(line -> line.startsWith("| at |")).count();
    }

    private static List<Map<String, String>> table(List<String> lines, int at) {
        List<String> header = cells(lines.get(at));
        List<Map<String, String>> rows = new ArrayList<>();
        for (int i = at + 2; i < lines.size() && lines.get(i).startsWith("|"); i++) {
            List<String> cells = cells(lines.get(i));
            if (cells.size() != header.size()) {
                throw new IllegalStateException("Not as wide as its table: " + lines.get(i));
            }
            Map<String, String> row = new LinkedHashMap<>();
            for (int column = 0; column < header.size(); column++) {
                row.put(header.get(column), cells.get(column));
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<String> cells(String line) {
        String[] cells = line.split("\\|", -1);
        return Arrays.stream(cells, 1, cells.length - 1)
                .map(cell -> cell.replace("`", "").strip())
                .toList();
    }

    /** Reads {@code 3.5 s}. */
    static Duration duration(String cell) {
        Matcher seconds = SECONDS.matcher(cell);
        if (!seconds.matches()) {
            throw new IllegalStateException("Not a number of seconds: '" + cell + "'");
        }
        return Duration.parse("PT" + seconds.group(1) + "S");
    }

    /** The source of each class in the text, by the name of the class. */
    Map<String, String> classes() {
        return JAVA.matcher(text)
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.toMap(StrategiesDoc::className, source -> source));
    }

    private static String className(String source) {
        Matcher name = CLASS.matcher(source);
        if (!name.find()) {
            throw new IllegalStateException("No class in:\n" + source);
        }
        return name.group(1);
    }
}
