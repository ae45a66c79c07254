package dev.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Limits how often each key may do something, under one limit or several. Safe for use by many
 * threads.
 *
 * <pre>{@code
 * RateLimiter search = RateLimiter.builder("search")
 *         .limit(100, 1, TimeUnit.SECONDS, LimitStrategy.TOKEN_BUCKET)
 *         .build();
 * if (search.tryAcquire("203.0.113.9").allowed()) ...
 * }</pre>
 */
public interface RateLimiter extends AutoCloseable {

    /**
     * Starts to build a limiter that keeps its buckets in memory.
     *
     * @param name what it is called: 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}
     * @return a builder
     * @throws IllegalArgumentException if the name has other characters or is too long
     */
    static Builder builder(String name) {
        return new Builder(name);
    }

    /**
     * Makes a limiter over limits that a store has opened.
     *
     * @param name what it is called
     * @param limits where the buckets are; closed with the limiter
     * @param keyOf makes the key of a bucket from what the limiter's methods are given
     * @param timeSource the clock by which {@link #acquire} waits
     * @return a limiter
     */
    static RateLimiter of(
            String name,
            KeyedLimits limits,
            Function<String, ? extends Object> keyOf,
            TimeSource timeSource) {
        return new KeyedRateLimiter(name, limits, keyOf, timeSource);
    }

    /**
     * Returns what this limiter is called.
     *
     * @return its name
     */
    String name();

    /**
     * Spends one permit if every limit has one, without waiting.
     *
     * @param key who is counted
     * @return what was decided
     */
    default Decision tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /**
     * Spends permits if every limit has as many, without waiting. A refusal spends nothing.
     *
     * @param key who is counted
     * @param permits how many, at least 1
     * @return what was decided
     * @throws IllegalArgumentException if {@code permits} is less than 1
     */
    Decision tryAcquire(String key, long permits);

    /**
     * Does the same as {@link #tryAcquire(String, long)} and allocates nothing.
     *
     * @param key who is counted
     * @param permits how many, at least 1
     * @param out receives the deciding limit's answer at {@link RateLimitStrategy#REMAINING},
     *     {@link RateLimitStrategy#RESET} and {@link RateLimitStrategy#RETRY_NANOS}; at least three
     *     long
     * @return whether the permits were spent
     * @throws IllegalArgumentException if {@code permits} is less than 1, or {@code out} too short
     */
    boolean tryAcquire(String key, long permits, long[] out);

    /**
     * Spends permits, waiting for them if need be. It does not wait at all if the wait would be
     * longer than allowed as things stand. Those who wait are not served in any order.
     *
     * @param key who is counted
     * @param permits how many, at least 1
     * @param maxWait how long it may take
     * @return whether the permits were spent
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is spent
     *     then
     * @throws IllegalArgumentException if {@code permits} is less than 1
     */
    boolean acquire(String key, long permits, Duration maxWait) throws InterruptedException;

    /**
     * Looks at what a key has left, and spends nothing.
     *
     * @param key who is counted
     * @return what a demand for one permit would be told; its {@link Decision#permits()} are 0
     */
    Decision peek(String key);

    /**
     * Gives back what a decision spent. Of a charge that time has already given back, wholly or in
     * part, only the rest is given; of a refused or peeked decision, nothing. It is the caller's
     * duty not to give back one decision twice.
     *
     * @param key who was counted
     * @param decision what this limiter decided for that key
     */
    void refund(String key, Decision decision);

    /**
     * Makes a key as if it had never been seen. A key that shares a bucket with others (see {@link
     * Builder#maxKeys}) goes on sharing it.
     *
     * @param key who is counted
     */
    void reset(String key);

    /**
     * Returns how many keys this limiter remembers.
     *
     * @return the number, not exact while it changes
     */
    long size();

    /** Ends the work in the background. Idle keys are no longer forgotten then. */
    @Override
    void close();

    /** Collects what a limiter is made of. */
    final class Builder {

        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

        private final String name;
        private final List<Limit> limits = new ArrayList<>();
        private long maxKeys = 100_000;
        private TimeSource timeSource = TimeSource.system();

        private Builder(String name) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -: '" + name + "'");
            }
            this.name = name;
        }

        /**
         * Adds a limit under {@link LimitStrategy#FIXED_WINDOW}.
         *
         * @param requests how many per window, 1 to 10⁹
         * @param window how many units the window is long
         * @param unit the unit of {@code window}
         * @return this
         * @throws IllegalArgumentException if the numbers are out of range
         */
        public Builder limit(long requests, long window, TimeUnit unit) {
            return limit(requests, window, unit, LimitStrategy.FIXED_WINDOW);
        }

        /**
         * Adds a limit. With several, each request must pass all, and spends from all or none.
         *
         * @param requests how many per window, 1 to 10⁹
         * @param window how many units the window is long, 1 ms to 366 days in all
         * @param unit the unit of {@code window}
         * @param strategy how to count
         * @return this
         * @throws IllegalArgumentException if the numbers are out of range
         */
        public Builder limit(long requests, long window, TimeUnit unit, LimitStrategy strategy) {
            return limit(LimitConfig.of(requests, window, unit), strategy.create());
        }

        /**
         * Adds a limit, with a burst or a strategy of your own.
         *
         * @param config its numbers
         * @param strategy how to count
         * @return this
         * @throws IllegalArgumentException if the strategy cannot work with the numbers
         */
        public Builder limit(LimitConfig config, RateLimitStrategy strategy) {
            limits.add(new Limit(config, strategy));
            return this;
        }

        /**
         * Bounds the memory. When so many keys are live, new keys share a fixed number of buckets
         * until others become idle; no live key is ever forgotten. With {@link
         * LimitStrategy#SLIDING_LOG} the bound is lower where the stamps would take more than a
         * quarter of the heap.
         *
         * @param maxKeys for how many keys there may be buckets, at least 1; by default 100,000
         * @return this
         * @throws IllegalArgumentException if {@code maxKeys} is less than 1
         */
        public Builder maxKeys(long maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys must be at least 1: " + maxKeys);
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /**
         * Replaces the clock.
         *
         * @param timeSource the clock, by default {@link TimeSource#system()}
         * @return this
         */
        public Builder timeSource(TimeSource timeSource) {
            this.timeSource = timeSource;
            return this;
        }

        /**
         * Builds the limiter.
         *
         * @return a limiter, to be closed
         * @throws IllegalStateException if there is no limit
         */
        public RateLimiter build() {
            if (limits.isEmpty()) {
                throw new IllegalStateException(
                        "'" + name + "' has no limit: call limit(...) first");
            }
            KeyedLimits opened = new InMemoryStore(timeSource).open(name, limits, maxKeys);
            return of(name, opened, Function.identity(), timeSource);
        }
    }
}
