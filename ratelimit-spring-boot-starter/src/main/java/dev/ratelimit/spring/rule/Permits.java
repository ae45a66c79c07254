package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.key.Caller;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** What a call costs under a rule: always the same, or as it is computed for each call. */
public final class Permits {

    /** Each call costs one permit. */
    public static final Permits ONE = constant(1);

    private final OptionalLong constant;
    private final ToLongFunction<Caller> computed;

    private Permits(OptionalLong constant, ToLongFunction<Caller> computed) {
        this.constant = constant;
        this.computed = computed;
    }

    /**
     * Each call costs the same.
     *
     * @param permits how many
     */
    public static Permits constant(long permits) {
        return new Permits(OptionalLong.of(permits), caller -> permits);
    }

    /**
     * Each call costs something of its own.
     *
     * @param permits at least 1, or 0 for a call that is not counted; never fails
     */
    public static Permits computed(ToLongFunction<Caller> permits) {
        return new Permits(OptionalLong.empty(), permits);
    }

    /** What every call costs; empty if that is computed. */
    public OptionalLong constant() {
        return constant;
    }

    /** What a call costs; 0 if it is not counted. */
    public long of(Caller caller) {
        return computed.applyAsLong(caller);
    }
}
