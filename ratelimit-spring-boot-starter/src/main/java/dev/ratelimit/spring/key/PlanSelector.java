package dev.ratelimit.spring.key;

import org.jspecify.annotations.Nullable;

/** Tells the plan of a caller. */
@FunctionalInterface
public interface PlanSelector {

    /** The name of the caller's plan; null if it has none. Never fails. */
    @Nullable String planOf(Caller caller);
}
