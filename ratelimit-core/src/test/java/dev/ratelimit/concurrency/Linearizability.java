package dev.ratelimit.concurrency;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** Runs Lincheck: by free-running threads, and by trying switches of threads one by one. */
final class Linearizability {

    private Linearizability() {}

    static void check(Class<?> operations) {
        new StressOptions()
                .iterations(Stress.times(3, 100))
                .invocationsPerIteration(Stress.times(300, 10_000))
                .threads(3)
                .actorsPerThread(2)
                .check(operations);
        new ModelCheckingOptions()
                .iterations(Stress.times(3, 100))
                .invocationsPerIteration(Stress.times(100, 5_000))
                .threads(2)
                .actorsPerThread(3)
                .check(operations);
    }
}
