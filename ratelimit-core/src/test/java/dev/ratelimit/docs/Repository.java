package dev.ratelimit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of this project, wherever in it the tests run. */
final class Repository {

    private Repository() {}

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.exists(directory.resolve("docs/strategies.md"))) {
            directory = directory.getParent();
        }
        if (directory == null) {
            throw new IllegalStateException("docs/strategies.md is in no directory above");
        }
        return directory;
    }

    static String read(String file) {
        return read(root().resolve(file));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sources of all tests of the core that are called so. */
    static List<String> coreTests(String simpleName) {
        try (Stream<Path> files = Files.walk(root().resolve("ratelimit-core/src/test/java"))) {
            return files.filter(file -> file.endsWith(simpleName + ".java"))
                    .map(Repository::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
