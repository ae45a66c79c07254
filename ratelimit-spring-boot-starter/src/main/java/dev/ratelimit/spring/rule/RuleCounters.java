package dev.ratelimit.spring.rule;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** How often a rule decided what. */
public final class RuleCounters {

    private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

    /** An array, since to go through it makes no garbage. */
    private volatile Listener[] listeners = {};

    RuleCounters() {
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, new LongAdder());
        }
    }

    /** Counts one more. */
    public void count(Outcome outcome) {
        adder(outcome).increment();
        for (Listener listener : listeners) {
            listener.counted(outcome);
        }
    }

    /** How often this was the outcome. */
    public long of(Outcome outcome) {
        return adder(outcome).sum();
    }

    private LongAdder adder(Outcome outcome) {
        return Objects.requireNonNull(counts.get(outcome));
    }

    /**
     * Tells somebody of each outcome from now on.
     *
     * @param listener is told in the thread that counts
     */
    public synchronized void tell(Listener listener) {
        Listener[] more = Arrays.copyOf(listeners, listeners.length + 1);
        more[listeners.length] = listener;
        listeners = more;
    }

    /** Tells somebody no more. */
    public synchronized void tellNoMore(Listener listener) {
        listeners =
                Arrays.stream(listeners)
                        .filter(other -> other != listener)
                        .toArray(Listener[]::new);
    }

    /** Follows what is counted. */
    @FunctionalInterface
    public interface Listener {

        /** One more was counted. */
        void counted(Outcome outcome);
    }
}
