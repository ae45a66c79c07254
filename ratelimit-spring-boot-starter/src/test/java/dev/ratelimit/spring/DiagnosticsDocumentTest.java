package dev.ratelimit.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each warning has a code, and docs/diagnostics.md explains each code. */
class DiagnosticsDocumentTest {

    private static final Pattern CODE = Pattern.compile("\\bRL(?:-[A-Z]+)+");
    private static final Pattern HEADING = Pattern.compile("(?m)^### (RL-[A-Z-]+)$");
    private static final Pattern WARNING =
            Pattern.compile("\\.(?:(?:warn|error)\\(|log\\(\\s*[\\w.]+,)\\s*(\"[^\"]*)");

    private static String document;
    private static String sources;

    @BeforeAll
    static void read() throws IOException {
        document = Files.readString(Path.of("../docs/diagnostics.md"));
        sources = sources("src/main/java") + sources("../ratelimit-core/src/main/java");
    }

    private static String sources(String directory) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(directory))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(DiagnosticsDocumentTest::text)
                    .collect(Collectors.joining());
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyCodeHasAParagraphAndEveryParagraphACode() {
        Set<String> codes = new TreeSet<>();
        CODE.matcher(sources).results().map(MatchResult::group).forEach(codes::add);

        assertThat(codes).contains("RL-UNUSED-RULE");
        assertThat(HEADING.matcher(document).results().map(found -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(codes);
    }

    @Test
    void everyWarningBeginsWithItsCode() {
        List<String> warnings =
                WARNING.matcher(sources).results().map(found -> found.group(1)).toList();

        assertThat(warnings).isNotEmpty();
        assertThat(warnings).allMatch(warning -> warning.matches("\"RL(-[A-Z]+)+: .*"));
    }
}
