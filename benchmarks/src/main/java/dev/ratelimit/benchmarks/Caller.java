package dev.ratelimit.benchmarks;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * A thread that asks for one key after the other, in an order of its own, and counts what it is
 * told wrongly.
 */
@State(Scope.Thread)
public class Caller {

    final long[] out = new long[3];

    private String[] order;
    private int next;
    private boolean expected;
    private long unexpected;

    @Setup
    public void shuffle(Workload workload, ThreadParams thread) {
        expected = workload.allowed();
        // A power of two, so that the next index costs no division.
        order = new String[Integer.highestOneBit(2 * workload.keys - 1)];
        for (int i = 0; i < order.length; i++) {
            order[i] = workload.names[i % workload.keys];
        }
        List<String> shuffled = Arrays.asList(order);
        Collections.shuffle(shuffled, new Random(thread.getThreadIndex()));
    }

    String nextKey() {
        next = (next + 1) & (order.length - 1);
        return order[next];
    }

    boolean told(boolean allowed) {
        if (allowed != expected) {
            unexpected++;
        }
        return allowed;
    }

    @TearDown(Level.Iteration)
    public void check() {
        if (unexpected > 0) {
            throw new IllegalStateException(unexpected + " decisions were not as expected");
        }
    }
}
