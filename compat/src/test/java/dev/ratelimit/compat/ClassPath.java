package dev.ratelimit.compat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

/** Runs code on other class paths than that of the tests. */
final class ClassPath {

    /** The class path of the tests. */
    static final String OF_TESTS = System.getProperty("java.class.path");

    private ClassPath() {}

    /** Of that class path, what is wanted. */
    static URL[] filter(String classPath, Predicate<String> wanted) {
        return Arrays.stream(classPath.split(File.pathSeparator))
                .filter(wanted)
                .map(path -> url(new File(path).toURI()))
                .toArray(URL[]::new);
    }

    private static URL url(URI uri) {
        try {
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(uri.toString(), e);
        }
    }

    /**
     * Calls a function of a class that is loaded anew.
     *
     * @param type has a constructor without parameters
     */
    @SuppressWarnings("unchecked")
    static List<String> call(
            URL[] classPath, Class<? extends Function<String, String[]>> type, String argument)
            throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            Object function =
                    loader.loadClass(type.getName()).getDeclaredConstructor().newInstance();
            return List.of(((Function<String, String[]>) function).apply(argument));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** A process can have them once, and another test may have started a Tomcat. */
    static void forgetUrlHandlers() {
        TomcatURLStreamHandlerFactory.disable();
    }
}
