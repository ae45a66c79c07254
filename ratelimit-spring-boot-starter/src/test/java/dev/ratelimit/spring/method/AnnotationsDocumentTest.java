package dev.ratelimit.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimited;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.framework.ProxyFactory;

/** What docs/annotations.md says is so, and its code does what it promises. */
class AnnotationsDocumentTest {

    private static final Pattern CLASS =
            Pattern.compile(
                    "```java\\n(package com\\.example;.*?public (?:class|interface) (\\w+).*?)```",
                    Pattern.DOTALL);

    private static String document;

    @TempDir private Path classes;

    @BeforeAll
    static void read() throws IOException {
        document = Files.readString(Path.of("../docs/annotations.md"));
    }

    /** Compiles the classes of the document as a user would. */
    private ClassLoader compiled(String... moreOptions) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (MatchResult found : CLASS.matcher(document).results().toList()) {
            sources.add(new Source(found.group(2), found.group(1)));
        }
        assertThat(sources).hasSize(2);
        List<String> options =
                new ArrayList<>(List.of("--release", "17", "-proc:none", "-d", classes.toString()));
        options.addAll(List.of(moreOptions));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        boolean done = compiler.getTask(messages, null, null, options, null, sources).call();
        assertThat(done).as(messages::toString).isTrue();
        return new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
    }

    @Test
    void customers_are_counted_by_items_and_queued_when_they_have_had_theirs() throws Exception {
        Class<?> service = compiled("-parameters").loadClass("com.example.OrderService");
        MethodContext.with(service)
                .withClassLoader(service.getClassLoader())
                .run(
                        context -> {
                            Object bean = context.getBean(service);
                            assertThat(place(bean, "ann", 8)).isEqualTo("placed");
                            assertThat(place(bean, "ann", 3)).isEqualTo("queued");
                            assertThat(place(bean, "ann", 2)).isEqualTo("placed");
                            assertThat(place(bean, "bob", 10)).isEqualTo("placed");
                        });
    }

    private static Object place(Object service, String customer, int items) throws Exception {
        Class<?> order = service.getClass().getSuperclass().getClasses()[0];
        Method place = service.getClass().getMethod("place", order);
        List<String> all = Collections.nCopies(items, "item");
        return place.invoke(
                service, order.getConstructor(String.class, List.class).newInstance(customer, all));
    }

    @Test
    void without_the_names_of_parameters_the_start_is_stopped() throws Exception {
        Class<?> service = compiled().loadClass("com.example.OrderService");
        MethodContext.with(service)
                .withClassLoader(service.getClassLoader())
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining(
                                                "has no parameter 'order' that is known by name.")
                                        .hasMessageContaining(
                                                "Compile its class with -parameters, or write"
                                                        + " #a0"));
    }

    @Test
    void calls_of_the_partner_are_paced() throws Exception {
        Class<?> client = compiled().loadClass("com.example.WeatherClient");
        MethodInterceptor sunny = invocation -> "sunny";
        Object partner = new ProxyFactory(client, sunny).getProxy(client.getClassLoader());
        MethodContext.with()
                .withClassLoader(client.getClassLoader())
                .withBean("weather", Object.class, () -> partner)
                .run(
                        context -> {
                            Object bean = context.getBean("weather");
                            Method today = bean.getClass().getMethod("today");
                            assertThat(today.invoke(bean)).isEqualTo("sunny");
                            AtomicReference<Object> second = new AtomicReference<>();
                            Thread thread =
                                    new Thread(
                                            () -> {
                                                try {
                                                    second.set(today.invoke(bean));
                                                } catch (ReflectiveOperationException e) {
                                                    second.set(e);
                                                }
                                            });
                            thread.start();
                            while (thread.getState() != Thread.State.WAITING) {
                                Thread.onSpinWait();
                            }
                            MethodContext.TIME.advance(Duration.ofMillis(49));
                            assertThat(second).hasValue(null);
                            MethodContext.TIME.advance(Duration.ofMillis(1));
                            thread.join(10_000);
                            assertThat(second).hasValue("sunny");
                        });
    }

    @Test
    void its_table_names_every_attribute_and_no_other() {
        assertThat(
                        Pattern.compile("(?m)^\\| `(\\w+)` \\| .* \\| .* \\| .* \\|$")
                                .matcher(document)
                                .results()
                                .map(found -> found.group(1)))
                .containsExactlyInAnyOrder(
                        Arrays.stream(RateLimited.class.getDeclaredMethods())
                                .map(Method::getName)
                                .toArray(String[]::new));
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
