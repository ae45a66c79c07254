package dev.ratelimit.benchmarks;

import java.lang.reflect.Proxy;

/** Makes objects of which no method may be called. */
final class Unsupported {

    private Unsupported() {}

    static <T> T of(Class<T> type) {
        Object none =
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, args) -> {
                            throw new UnsupportedOperationException(method.toString());
                        });
        return type.cast(none);
    }
}
