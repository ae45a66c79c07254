package dev.ratelimit.benchmarks;

import static java.util.concurrent.CompletableFuture.runAsync;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Which keys there are, and which limit each of them has. */
@State(Scope.Benchmark)
public class Workload {

    @Param({"allowed", "rejected"})
    public String outcome;

    @Param({"1", "1000", "1000000"})
    public int keys;

    String[] names;

    @Setup
    public void nameKeys() {
        names = new String[keys];
        for (int i = 0; i < keys; i++) {
            names[i] = "client-" + i;
        }
    }

    boolean allowed() {
        return outcome.equals("allowed");
    }

    /** More than any thread can ask for; or one, which is spent before the measurement. */
    int requests() {
        return allowed() ? 1_000_000_000 : 1;
    }

    Duration window() {
        return allowed() ? Duration.ofSeconds(1) : Duration.ofDays(1);
    }

    /**
     * More than there are, since a limiter that is full for a moment lets new keys share buckets.
     */
    long maxKeys() {
        return 2L * keys;
    }

    /** A map in which every key has a limiter of its own. */
    <T> ConcurrentHashMap<String, T> limiters(Function<String, T> create) {
        ConcurrentHashMap<String, T> limiters = new ConcurrentHashMap<>();
        for (String name : names) {
            limiters.put(name, create.apply(name));
        }
        return limiters;
    }

    /** Spends what is not to be there, and checks that each key is told what is expected. */
    void prepare(Predicate<String> tryAcquire) {
        for (String name : names) {
            prepare(name, tryAcquire);
        }
    }

    /** Does the same by many threads, as is faster where each has to wait for a server. */
    void prepareByThreads(Predicate<String> tryAcquire) {
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try {
            CompletableFuture<?>[] prepared =
                    Stream.of(names)
                            .map(name -> runAsync(() -> prepare(name, tryAcquire), threads))
                            .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(prepared).join();
        } finally {
            threads.shutdown();
        }
    }

    private void prepare(String name, Predicate<String> tryAcquire) {
        boolean first = tryAcquire.test(name);
        boolean second = tryAcquire.test(name);
        if (!first || second != allowed()) {
            throw new IllegalStateException(name + " cannot be always " + outcome);
        }
    }
}
