/**
 * A rate limiter for plain Java: exact, lock-free, and free of allocation on the hot path.
 *
 * <p>Start at {@link dev.ratelimit.RateLimiter#builder(String)}. A limit is a {@link
 * dev.ratelimit.LimitConfig} under a {@link dev.ratelimit.RateLimitStrategy}; the state of one
 * limit for one key is a {@link dev.ratelimit.Bucket}.
 *
 * <p>{@link dev.ratelimit.RateLimitStore}, {@link dev.ratelimit.KeyedLimits} and {@link
 * dev.ratelimit.Charge} are for code that integrates the limiter into a framework or keeps buckets
 * elsewhere; an application does not need them.
 */
@NullMarked
package dev.ratelimit;

import org.jspecify.annotations.NullMarked;
