package dev.ratelimit.spring.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Times what a store outside this process takes to answer. */
public final class StoreLatencyMeter implements MeterBinder {

    private final String store;
    private final Consumer<Listener> teller;

    /**
     * Makes the meter.
     *
     * @param store what the store is called
     * @param teller tells a listener of each round trip from now on
     */
    public StoreLatencyMeter(String store, Consumer<Listener> teller) {
        this.store = store;
        this.teller = teller;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Timer success = timer(registry, "success");
        Timer failure = timer(registry, "failure");
        teller.accept(
                (nanos, answered) ->
                        (answered ? success : failure).record(nanos, TimeUnit.NANOSECONDS));
    }

    private Timer timer(MeterRegistry registry, String outcome) {
        return Timer.builder("ratelimit.store.latency")
                .description("Round trips to the store")
                .tag("store", store)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Learns of a round trip. */
    @FunctionalInterface
    public interface Listener {

        /**
         * Notes one.
         *
         * @param nanos how long it took
         * @param answered whether all that was asked was answered
         */
        void took(long nanos, boolean answered);
    }
}
