package dev.ratelimit.spring.method;

import dev.ratelimit.spring.rule.Durations;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says to do about calls that its rule refuses.
 *
 * @param maxWaitNanos how long a call may wait; 0 if it does not
 * @param fallback what is called instead; null if nothing is
 */
record OnRefusal(long maxWaitNanos, @Nullable Fallback fallback) {

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);
    private static final Duration LONGEST_WAIT = Duration.ofDays(366);

    static final OnRefusal THROW = new OnRefusal(0, null);

    /**
     * Reads an annotation.
     *
     * @throws InvalidRuleException if it cannot be done
     */
    static OnRefusal of(BeanType type, Method method, DeclaredLimit limit) {
        return limit.hasMaxWait() || limit.hasFallback()
                ? new OnRefusal(maxWaitNanos(limit), Fallback.find(type, method, limit))
                : THROW;
    }

    private static long maxWaitNanos(DeclaredLimit limit) {
        if (!limit.hasMaxWait()) {
            return 0;
        }
        Duration wait = Durations.parse(limit.where("maxWait"), limit.annotation().maxWait());
        if (wait.compareTo(SHORTEST_WAIT) < 0 || wait.compareTo(LONGEST_WAIT) > 0) {
            throw new InvalidRuleException(
                    limit.where("maxWait"),
                    "maxWait must be from 1 ms to 366 days: " + wait + ".",
                    "Set it to how long a call may wait for its permits, such as \"2s\".");
        }
        return wait.toNanos();
    }

    /** What two annotations say that name the same rule. */
    OnRefusal and(OnRefusal other) {
        return new OnRefusal(
                Math.max(maxWaitNanos, other.maxWaitNanos),
                fallback == null ? other.fallback : fallback);
    }
}
