package dev.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Bucket;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;

/** Compiles classes of the package {@code com.example} as a user of the core would. */
final class SourceCompiler {

    private SourceCompiler() {}

    /**
     * Compiles and loads.
     *
     * @param sources source by simple name of its class
     * @param classes where to put the class files
     * @return what loads them
     */
    static ClassLoader compile(Map<String, String> sources, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<JavaFileObject> files =
                sources.entrySet().stream()
                        .<JavaFileObject>map(e -> new Source(e.getKey(), e.getValue()))
                        .toList();
        List<String> options =
                List.of(
                        "--release",
                        "17",
                        "-Xlint:all",
                        "-Werror",
                        "-proc:none",
                        "-classpath",
                        location(Bucket.class) + File.pathSeparator + location(NullMarked.class),
                        "-d",
                        classes.toString());
        boolean compiled = compiler.getTask(messages, null, null, options, null, files).call();
        assertThat(compiled).as(messages::toString).isTrue();
        return new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, SourceCompiler.class.getClassLoader());
    }

    private static Path location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///com/example/" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
