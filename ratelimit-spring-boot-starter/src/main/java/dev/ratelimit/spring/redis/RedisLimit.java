package dev.ratelimit.spring.redis;

import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * A limit as the script takes it. The script computes with doubles, which are exact for integers
 * below 2⁵³; a limit that would need more is refused here.
 */
final class RedisLimit {

    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(53);

    private static final long NANOS_PER_MICRO = 1_000;

    /** The arguments of the script. */
    final byte[][] arguments;

    /** Keeps buckets of different strategies apart. */
    final String kind;

    /**
     * Reads a limit.
     *
     * @throws IllegalArgumentException if the script cannot decide by it
     */
    RedisLimit(Limit limit) {
        LimitConfig config = limit.config();
        LimitStrategy strategy = strategy(limit);
        if (strategy == null) {
            throw new IllegalArgumentException(
                    "Redis has no strategy "
                            + limit.strategy().getClass().getName()
                            + ": only the built-in ones can be shared");
        }
        if (config.windowNanos() % NANOS_PER_MICRO != 0) {
            throw new IllegalArgumentException(
                    "Redis counts in microseconds, and the window is not a whole number of them: "
                            + config);
        }
        long windowMicros = config.windowNanos() / NANOS_PER_MICRO;
        switch (strategy) {
            case TOKEN_BUCKET -> {
                kind = "T";
                arguments = tokenBucket(config);
            }
            case FIXED_WINDOW -> {
                kind = "F";
                arguments = arguments(kind, config.requests(), windowMicros);
            }
            case SLIDING_WINDOW -> {
                requireExact(config, product(config.requests() + 1, windowMicros));
                kind = "W";
                arguments = arguments(kind, config.requests(), windowMicros);
            }
            case SLIDING_LOG -> {
                kind = "L";
                arguments = arguments(kind, config.requests(), windowMicros);
            }
            default -> throw new IllegalArgumentException("Redis has no strategy " + strategy);
        }
    }

    /**
     * In the units of a bucket in memory, so that numbers which change are rounded alike; where
     * these are too fine, in units of which a whole number is earned in a microsecond.
     */
    private static byte[][] tokenBucket(LimitConfig config) {
        long gcd = gcd(config.requests(), config.windowNanos());
        long p = config.requests() / gcd * NANOS_PER_MICRO;
        long q = config.windowNanos() / gcd;
        if (largest(config, p, q).compareTo(MOST) >= 0) {
            gcd = gcd(p, q);
            p /= gcd;
            q /= gcd;
            requireExact(config, largest(config, p, q));
        }
        return arguments("T", config.burst(), p, q);
    }

    private static BigInteger largest(LimitConfig config, long p, long q) {
        return product(config.burst(), q).add(BigInteger.valueOf(p));
    }

    private static @Nullable LimitStrategy strategy(Limit limit) {
        for (LimitStrategy strategy : LimitStrategy.values()) {
            if (strategy.create().getClass() == limit.strategy().getClass()) {
                return strategy;
            }
        }
        return null;
    }

    private static long gcd(long a, long b) {
        return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).longValueExact();
    }

    private static BigInteger product(long a, long b) {
        return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    }

    private static void requireExact(LimitConfig config, BigInteger largest) {
        if (largest.compareTo(MOST) >= 0) {
            throw new IllegalArgumentException(
                    "Redis cannot count this exactly, since its numbers are too large: " + config);
        }
    }

    private static byte[][] arguments(String kind, long... numbers) {
        byte[][] arguments = new byte[1 + numbers.length][];
        arguments[0] = ScriptCall.bytes(kind);
        for (int i = 0; i < numbers.length; i++) {
            arguments[1 + i] = ScriptCall.bytes(numbers[i]);
        }
        return arguments;
    }
}
