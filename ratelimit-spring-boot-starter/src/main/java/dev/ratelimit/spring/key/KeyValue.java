package dev.ratelimit.spring.key;

import org.jspecify.annotations.Nullable;

/** Finds the value of a part of a key. */
@FunctionalInterface
public interface KeyValue {

    /** The value for a call; null if it has none. */
    @Nullable String of(Caller caller);
}
