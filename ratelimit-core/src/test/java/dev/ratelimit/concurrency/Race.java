package dev.ratelimit.concurrency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/** Lets many threads do the same at once, and throws what the first of them throws. */
final class Race {

    private Race() {}

    /** What each thread does. */
    interface Work {
        void run(int thread) throws Exception;
    }

    /** What all threads do together, time after time; nobody runs while a round begins or ends. */
    interface Round extends Work {
        default void begin(int round) {}

        void end(int round);
    }

    static void run(int threads, Work work) {
        CyclicBarrier start = new CyclicBarrier(threads);
        start(
                threads,
                thread -> {
                    start.await();
                    work.run(thread);
                });
    }

    static void rounds(int threads, int rounds, Round round) {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        start(
                threads,
                thread -> {
                    for (int i = 0; i < rounds; i++) {
                        if (barrier.await() == 0) {
                            round.begin(i);
                        }
                        barrier.await();
                        round.run(thread);
                        if (barrier.await() == 0) {
                            round.end(i);
                        }
                    }
                });
    }

    private static void start(int threads, Work work) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            all.add(
                    new Thread(
                            () -> {
                                try {
                                    work.run(thread);
                                } catch (Throwable e) {
                                    if (failure.compareAndSet(null, e)) {
                                        all.forEach(Thread::interrupt);
                                    }
                                }
                            },
                            "race-" + i));
        }
        all.forEach(Thread::start);
        for (Thread thread : all) {
            join(thread);
        }
        rethrow(failure.get());
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void rethrow(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null && !(failure instanceof BrokenBarrierException)) {
            throw new AssertionError(failure);
        }
    }

    /** Something that goes on while others race. */
    static final class Background implements AutoCloseable {

        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Thread thread;
        private volatile boolean closed;

        Background(Runnable step) {
            thread =
                    new Thread(
                            () -> {
                                try {
                                    while (!closed) {
                                        step.run();
                                    }
                                } catch (Throwable e) {
                                    failure.set(e);
                                }
                            },
                            "background");
            thread.start();
        }

        @Override
        public void close() {
            closed = true;
            join(thread);
            rethrow(failure.get());
        }
    }
}
