package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;

/**
 * What one limit should answer to one key, in code that is plain rather than fast. A model only
 * says how much is free at a moment; when something becomes free is found by trying moments.
 */
public abstract class ReferenceModel {

    final LimitConfig config;

    ReferenceModel(LimitConfig config) {
        this.config = config;
    }

    /** The model that gives back all that a charge still takes: no answer may be more generous. */
    public static ReferenceModel mostGenerous(LimitStrategy strategy, LimitConfig config) {
        return switch (strategy) {
            case FIXED_WINDOW -> new FixedWindowModel(config);
            case TOKEN_BUCKET -> new ReplayedTokenBucketModel(config);
            case SLIDING_WINDOW -> new SlidingWindowModel(config);
            case SLIDING_LOG -> new SlidingLogModel(config);
        };
    }

    /** The model that no answer may be stricter than; it differs in late refunds only. */
    public static ReferenceModel strictest(LimitStrategy strategy, LimitConfig config) {
        return strategy == LimitStrategy.TOKEN_BUCKET
                ? new TokenBucketModel(config)
                : mostGenerous(strategy, config);
    }

    /** How many permits can be spent at a moment if nobody spends any until then. */
    public abstract long free(long atNanos);

    /** Spends permits, whether they are there or not. */
    public abstract void spend(long permits, long nowNanos);

    /** Makes it as if a charge had never been. */
    public abstract void refund(long permits, long chargedAtNanos, long nowNanos);

    /** How long a demand has to wait: 0 if it has not to, -1 if it would wait for ever. */
    public final long retryNanos(long permits, long nowNanos) {
        return permits > config.burst() ? -1 : nanosUntilFree(permits, nowNanos);
    }

    /** How long it takes until more is free; 0 when everything is. */
    public final long growthNanos(long nowNanos) {
        long free = Math.max(free(nowNanos), 0);
        return free == config.burst() ? 0 : nanosUntilFree(free + 1, nowNanos);
    }

    /** By bisection: as time passes ever more is free, and never less. */
    private long nanosUntilFree(long permits, long nowNanos) {
        if (free(nowNanos) >= permits) {
            return 0;
        }
        long tooEarly = 0;
        long enough = 1;
        while (free(nowNanos + enough) < permits) {
            tooEarly = enough;
            enough *= 2;
        }
        while (enough - tooEarly > 1) {
            long middle = (tooEarly + enough) / 2;
            if (free(nowNanos + middle) < permits) {
                tooEarly = middle;
            } else {
                enough = middle;
            }
        }
        return enough;
    }
}
