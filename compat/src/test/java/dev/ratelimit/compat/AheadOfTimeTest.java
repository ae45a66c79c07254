package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

/** Processes the application ahead of time, as native images are, and runs that on the JVM. */
class AheadOfTimeTest {

    private static final String RUN_PROCESSED = "spring.aot.enabled";
    private static final String SOURCES = "sources";
    private static final String CLASSES = "classes";

    @TempDir static Path generated;

    @BeforeAll
    static void processAndCompile() throws Exception {
        ClassPath.call(
                ClassPath.filter(ClassPath.OF_TESTS, path -> true),
                Process.class,
                generated.toString());
        compile(generated.resolve(SOURCES), generated.resolve(CLASSES));
    }

    private static void compile(Path sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(List.of("-proc:none", "-nowarn", "-d", classes.toString()));
        arguments.addAll(List.of("-cp", classPath(classes)));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString)
                    .filter(name -> name.endsWith(".java"))
                    .forEach(arguments::add);
        }
        int result =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).isZero();
    }

    private static String classPath(Path first) {
        return first + File.pathSeparator + ClassPath.OF_TESTS;
    }

    @Test
    void the_proxies_of_annotated_beans_are_made_in_advance() {
        assertThat(generated.resolve(CLASSES).resolve("dev/ratelimit/compat"))
                .isDirectoryContaining("glob:**/CompatApplication$Converter$$SpringCGLIB$$0.class")
                .isDirectoryContaining("glob:**/CompatApplication$WholeType$$SpringCGLIB$$0.class");
    }

    @Test
    void its_limits_hold() throws Exception {
        System.setProperty(RUN_PROCESSED, "true");
        try {
            assertThat(
                            ClassPath.call(
                                    ClassPath.filter(
                                            classPath(generated.resolve(CLASSES)), path -> true),
                                    Run.class,
                                    "--server.port=0"))
                    .containsExactly(
                            "/search [200, 200, 429]",
                            "/members/home [401, 401, 401]",
                            "/vault [401, 401, 429]",
                            "/permits?n=6 [200, 429, 429]",
                            "/annotated/handler [200, 429, 429]",
                            "/calls/converter [200, 429, 429]",
                            "/calls/composed [200, 429, 429]",
                            "/calls/type-second [200, 200, 429]",
                            "/calls/interface [200, 429, 429]",
                            "/calls/rate/EUR [200, 200, 200]",
                            "last rate of EUR, for Converter.rate is exceeded",
                            "/actuator/ratelimits [200, 200, 200]");
        } finally {
            System.clearProperty(RUN_PROCESSED);
        }
    }

    /** Processes in a class loader of its own: a proxy that there is already is not made again. */
    public static final class Process implements Function<String, String[]> {

        @Override
        public String[] apply(String directory) {
            Path classes = Path.of(directory, CLASSES);
            Settings settings =
                    Settings.builder()
                            .sourceOutput(Path.of(directory, SOURCES))
                            .resourceOutput(classes)
                            .classOutput(classes)
                            .groupId("dev.ratelimit")
                            .artifactId("compat")
                            .build();
            new SpringApplicationAotProcessor(CompatApplication.class, settings, new String[0])
                    .process();
            return new String[0];
        }
    }

    /** Runs the application, and tells how it answers. */
    public static final class Run implements Function<String, String[]> {

        @Override
        public String[] apply(String argument) {
            ClassPath.forgetUrlHandlers();
            SpringApplication application = new SpringApplication(CompatApplication.class);
            application.setMainApplicationClass(CompatApplication.class);
            try (ConfigurableApplicationContext context = application.run(argument)) {
                String port = context.getEnvironment().getProperty("local.server.port");
                Client client = new Client(Integer.parseInt(port));
                return new String[] {
                    statuses(client, "/search"),
                    statuses(client, "/members/home"),
                    statuses(client, "/vault"),
                    statuses(client, "/permits?n=6"),
                    statuses(client, "/annotated/handler"),
                    statuses(client, "/calls/converter"),
                    statuses(client, "/calls/composed"),
                    statuses(client, "/calls/type-second"),
                    statuses(client, "/calls/interface"),
                    statuses(client, "/calls/rate/EUR"),
                    client.get("/calls/rate/EUR").body(),
                    statuses(client, "/actuator/ratelimits")
                };
            }
        }

        private static String statuses(Client client, String path) {
            return path + " " + client.statuses(3, path);
        }
    }
}
