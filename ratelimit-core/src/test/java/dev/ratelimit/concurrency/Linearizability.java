package dev.ratelimit.concurrency;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** Runs Lincheck: by free-running threads, and by trying switches of threads one by one. */
final class Linearizability {

    /** Anything that goes round more often is taken for a livelock. */
    private static final int LONGEST_LOOP = 200;

    private Linearizability() {}

    static void check(Class<?> operations) {
        new StressOptions()
                .iterations(Stress.times(2, 5))
                .invocationsPerIteration(Stress.times(50, 500))
                .threads(2)
                .actorsPerThread(3)
                .check(operations);
        new ModelCheckingOptions()
                .iterations(Stress.times(3, 6))
                .invocationsPerIteration(Stress.times(60, 120))
                .threads(2)
                .actorsPerThread(3)
                .loopBound(LONGEST_LOOP)
                .check(operations);
    }
}
