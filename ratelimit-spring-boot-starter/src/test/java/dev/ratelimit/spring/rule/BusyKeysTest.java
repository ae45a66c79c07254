package dev.ratelimit.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.ratelimit.spring.key.Key;
import dev.ratelimit.spring.rule.BusyKeys.BusyKey;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class BusyKeysTest {

    private static final int THREADS = 8;

    private final BusyKeys keys = new BusyKeys();

    @Test
    void up_to_its_capacity_all_keys_are_counted_exactly() {
        for (int i = 0; i < BusyKeys.CAPACITY; i++) {
            allow(key(i), i);
            reject(key(i), 1 + i % 7);
        }

        assertThat(keys.busiest(1000)).hasSize(BusyKeys.CAPACITY);
        for (int i = 0; i < BusyKeys.CAPACITY; i++) {
            assertThat(keys.busiest(1000)).contains(new BusyKey(key(i), i, 1 + i % 7));
        }
    }

    @Test
    void the_most_rejected_come_first_and_of_equals_the_busier() {
        allow(key(1), 100);
        reject(key(2), 2);
        allow(key(3), 5);
        reject(key(3), 1);
        allow(key(4), 6);
        reject(key(4), 1);

        assertThat(keys.mostRejected(4))
                .extracting(BusyKey::key)
                .containsExactly(key(2), key(4), key(3), key(1));
        assertThat(keys.mostRejected(2)).extracting(BusyKey::key).containsExactly(key(2), key(4));
    }

    @Test
    void the_busiest_are_those_with_the_most_decisions_however_these_went() {
        allow(key(1), 3);
        reject(key(2), 2);
        allow(key(3), 2);
        reject(key(3), 2);

        assertThat(keys.busiest(2)).extracting(BusyKey::key).containsExactly(key(3), key(1));
        assertThat(keys.busiest(0)).isEmpty();
    }

    @Test
    void a_busy_key_stays_through_a_flood_of_a_million_others() {
        reject(key(-1), 1_000);
        allow(key(-2), 10_000);

        for (int i = 0; i < 1_000_000; i++) {
            keys.countAllowed(key(i));
        }

        assertThat(keys.size()).isLessThanOrEqualTo(BusyKeys.CAPACITY);
        assertThat(keys.mostRejected(1)).containsExactly(new BusyKey(key(-1), 0, 1_000));
        assertThat(keys.busiest(1)).containsExactly(new BusyKey(key(-2), 10_000, 0));
    }

    @Test
    void a_key_that_becomes_busy_in_a_flood_is_found() {
        for (int i = 0; i < 200_000; i++) {
            keys.countAllowed(key(i));
            if (i % 50 == 0) {
                keys.countAllowed(key(-1));
            }
        }

        BusyKey busiest = keys.busiest(1).get(0);
        assertThat(busiest.key()).isEqualTo(key(-1));
        // What it did before it had a place is missing, and nothing is invented.
        assertThat(busiest.allowed()).isBetween(2_000L, 4_000L);
    }

    @Test
    void no_count_is_too_high() {
        for (int i = 0; i < 100_000; i++) {
            keys.countAllowed(key(i));
        }

        assertThat(keys.busiest(BusyKeys.CAPACITY)).allSatisfy(this::hasOneDecision);
    }

    private void hasOneDecision(BusyKey busy) {
        assertThat(busy.allowed() + busy.rejected()).isEqualTo(1);
    }

    @Test
    void who_was_busy_long_ago_gives_way() {
        for (int i = 0; i < BusyKeys.CAPACITY; i++) {
            allow(key(i), 10_000);
        }
        for (int i = 0; i < 14; i++) {
            keys.halve();
        }
        assertThat(keys.busiest(1)).extracting(BusyKey::allowed).containsExactly(10_000L);

        reject(key(-1), 50);

        assertThat(keys.mostRejected(1)).extracting(BusyKey::key).containsExactly(key(-1));
    }

    @Test
    void who_is_busy_does_not_give_way_to_who_comes_once() {
        for (int i = 0; i < BusyKeys.CAPACITY; i++) {
            allow(key(i), 10_000);
        }

        for (int i = 1; i <= 50; i++) {
            keys.countAllowed(key(-i));
        }

        // Each of the fifty has a chance of 1 in 10,000.
        assertThat(keys.busiest(BusyKeys.CAPACITY - 2))
                .allSatisfy(busy -> assertThat(busy.allowed()).isEqualTo(10_000));
    }

    @Test
    void threads_lose_no_count_of_keys_that_have_a_place() throws Exception {
        inParallel(
                thread -> {
                    for (int i = 0; i < 20_000; i++) {
                        keys.countAllowed(key(i % 100));
                        keys.countRejected(key(i % 50));
                    }
                });

        assertThat(keys.busiest(1000)).hasSize(100);
        assertThat(keys.mostRejected(50))
                .allSatisfy(busy -> assertThat(busy.allowed()).isEqualTo(THREADS * 200L))
                .allSatisfy(busy -> assertThat(busy.rejected()).isEqualTo(THREADS * 400L));
    }

    @Test
    void memory_is_bounded_when_threads_flood_it() throws Exception {
        inParallel(
                thread -> {
                    for (int i = 0; i < 50_000; i++) {
                        keys.countAllowed(key(thread * 1_000_000 + i));
                        keys.countRejected(key(-1));
                    }
                });

        assertThat(keys.size()).isLessThanOrEqualTo(BusyKeys.CAPACITY);
        assertThat(keys.mostRejected(1)).extracting(BusyKey::key).containsExactly(key(-1));
    }

    @Test
    void counting_a_known_key_allocates_nothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Key key = key(1);
        allow(key, 100_000);
        reject(key, 100_000);

        long before = threads.getCurrentThreadAllocatedBytes();
        allow(key, 100_000);
        reject(key, 100_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        // Far below one byte for each, but not 0: asking for the number allocates too.
        assertThat(allocated).isLessThan(50_000);
    }

    private static Key key(int number) {
        return Key.of("ip", "client " + number);
    }

    private void allow(Key key, int times) {
        for (int i = 0; i < times; i++) {
            keys.countAllowed(key);
        }
    }

    private void reject(Key key, int times) {
        for (int i = 0; i < times; i++) {
            keys.countRejected(key);
        }
    }

    private static void inParallel(IntConsumer work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                running.add(
                        executor.submit(
                                () -> {
                                    start.await();
                                    work.accept(thread);
                                    return null;
                                }));
            }
            start.countDown();
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
