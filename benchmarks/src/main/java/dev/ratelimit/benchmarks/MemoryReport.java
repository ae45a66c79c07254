package dev.ratelimit.benchmarks;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimiter;
import io.github.bucket4j.Bucket;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Prints how much heap a key takes when there are a million: all that is reachable from the limiter
 * but the text of the keys, which is the same for all.
 */
public final class MemoryReport {

    private static final int KEYS = 1_000_000;

    /** So long that no key becomes idle while this runs. */
    private static final Duration WINDOW = Duration.ofDays(1);

    private static final long REQUESTS = 100;

    private MemoryReport() {}

    public static void main(String[] args) {
        String[] keys = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "client-" + i;
        }
        double bucket4j = bytesPerKey(keys, MemoryReport::bucket4j);
        System.out.println("| limiter | bytes per key | ÷ Bucket4j |");
        System.out.println("|---|---:|---:|");
        print("Bucket4j", bucket4j, bucket4j);
        for (LimitStrategy strategy : LimitStrategy.values()) {
            print(
                    "ratelimit, "
                            + strategy
                            + (strategy == LimitStrategy.SLIDING_LOG ? " of " + REQUESTS : ""),
                    bytesPerKey(keys, all -> ratelimit(all, strategy, 1)),
                    bucket4j);
        }
        print(
                "ratelimit, two limits of TOKEN_BUCKET",
                bytesPerKey(keys, all -> ratelimit(all, LimitStrategy.TOKEN_BUCKET, 2)),
                bucket4j);
    }

    private static void print(String limiter, double bytes, double bucket4jBytes) {
        System.out.printf("| %s | %.1f | %.2f |%n", limiter, bytes, bytes / bucket4jBytes);
    }

    private static double bytesPerKey(String[] keys, Function<String[], Object> create) {
        long before = usedBytes();
        Object limiter = create.apply(keys);
        try {
            return (double) (usedBytes() - before) / keys.length;
        } finally {
            if (limiter instanceof RateLimiter ours) {
                ours.close();
            }
            Reference.reachabilityFence(limiter);
        }
    }

    /** Waits until nothing more can be collected: a sweep in the background may hold a limiter. */
    private static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int unchanged = 0; unchanged < 3; unchanged++) {
            System.gc();
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            Runtime runtime = Runtime.getRuntime();
            long used = runtime.totalMemory() - runtime.freeMemory();
            if (used < least - KEYS) {
                unchanged = -1;
            }
            least = Math.min(least, used);
        }
        return least;
    }

    private static Object bucket4j(String[] keys) {
        ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
        for (String key : keys) {
            Bucket bucket = DecisionBenchmark.Bucket4j.bucket(REQUESTS, WINDOW);
            require(bucket.tryConsume(1));
            buckets.put(key, bucket);
        }
        return buckets;
    }

    private static Object ratelimit(String[] keys, LimitStrategy strategy, int limits) {
        RateLimiter.Builder builder = RateLimiter.builder("memory").maxKeys(2L * keys.length);
        for (int i = 1; i <= limits; i++) {
            builder.limit(i * REQUESTS, i * WINDOW.toDays(), TimeUnit.DAYS, strategy);
        }
        RateLimiter limiter = builder.build();
        for (String key : keys) {
            require(limiter.tryAcquire(key).allowed());
        }
        return limiter;
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            throw new IllegalStateException("The first request of a key was refused");
        }
    }
}
