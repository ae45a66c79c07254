package dev.ratelimit.spring.redis;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.spring.redis.RedisLimits.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Keeps buckets in Redis, where every instance of the application finds the same ones. */
public final class RedisStore implements RateLimitStore {

    private final RedisScripts scripts;
    private final String keyPrefix;
    private final long timeoutNanos;
    private final RateLimitStore standIn;
    private final LongSupplier nanoTime;
    private final StoreHealth health = new StoreHealth();
    private final Refusals refusals = new Refusals();
    private final Connector connector;
    private volatile LatencyListener latency = (nanos, success) -> {};

    RedisStore(
            RedisScripts scripts,
            String keyPrefix,
            Duration timeout,
            RateLimitStore standIn,
            LongSupplier nanoTime) {
        this.scripts = scripts;
        this.keyPrefix = keyPrefix;
        this.timeoutNanos = timeout.toNanos();
        this.standIn = standIn;
        this.nanoTime = nanoTime;
        this.connector = new Connector(scripts, health);
    }

    /**
     * Makes a store, and begins to connect it.
     *
     * @param connections the application's own
     * @param keyPrefix the beginning of each key, without braces
     * @param timeout how long a decision may take
     * @param standIn decides where a rule says so while Redis does not answer
     * @return the store
     */
    public static RedisStore open(
            RedisConnectionFactory connections,
            String keyPrefix,
            Duration timeout,
            RateLimitStore standIn) {
        Script script = new Script(Script.read());
        RedisStore store =
                new RedisStore(
                        RedisScripts.over(connections, script, timeout),
                        keyPrefix,
                        timeout,
                        standIn,
                        System::nanoTime);
        store.start();
        return store;
    }

    void start() {
        connector.start();
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public String state() {
        return health.isAvailable() ? "available" : "unavailable";
    }

    /**
     * Tells somebody how long each round trip takes.
     *
     * @param listener who is told
     */
    public void tell(LatencyListener listener) {
        latency = listener;
    }

    String keyPrefix() {
        return keyPrefix;
    }

    @Override
    public void check(Limit limit) {
        var unused = new RedisLimit(limit);
    }

    @Override
    public RateLimitStore standIn() {
        return standIn;
    }

    @Override
    public KeyedLimits open(String rule, List<Limit> limits, long maxKeys) {
        return new RedisLimits(this, rule, limits, maxKeys);
    }

    /**
     * Each rule is decided by itself, all in one round trip. If some admit and others refuse, what
     * was spent is given back in a second one.
     */
    @Override
    public boolean acquire(List<Charge> charges) {
        if (charges.size() == 1) {
            return acquire(charges.get(0));
        }
        List<long[]> replies = run(calls(Operation.ACQUIRE, charges));
        List<Charge> spent = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            if (answer(charges.get(i), replies.get(i))) {
                spent.add(charges.get(i));
            }
        }
        boolean allowed = spent.size() == charges.size();
        if (!allowed && !spent.isEmpty()) {
            replies = run(calls(Operation.REFUND, spent));
            for (int i = 0; i < spent.size(); i++) {
                limits(spent.get(i)).answer(spent.get(i), replies.get(i));
            }
        }
        return allowed;
    }

    private boolean acquire(Charge charge) {
        if (refusals.answer(charge, nanoTime.getAsLong())) {
            return false;
        }
        return answer(charge, run(limits(charge).call(Operation.ACQUIRE, charge)));
    }

    private boolean answer(Charge charge, long[] reply) {
        limits(charge).answer(charge, reply);
        refusals.note(charge, nanoTime.getAsLong());
        return charge.allowed();
    }

    private static List<ScriptCall> calls(Operation operation, List<Charge> charges) {
        List<ScriptCall> calls = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            calls.add(limits(charge).call(operation, charge));
        }
        return calls;
    }

    private static RedisLimits limits(Charge charge) {
        return (RedisLimits) charge.limits();
    }

    /** Asks the script once. */
    long[] run(ScriptCall call) {
        return run(List.of(call)).get(0);
    }

    private List<long[]> run(List<ScriptCall> calls) {
        return ask(() -> scripts.run(calls, System.nanoTime() + timeoutNanos));
    }

    /** Gives back what is left of a charge. */
    void refund(Charge charge) {
        run(limits(charge).call(Operation.REFUND, charge));
        refusals.forget(charge.limits(), charge.key());
    }

    /** Makes a key's buckets new. */
    void reset(KeyedLimits limits, Object key, byte[][] names) {
        ask(
                () -> {
                    scripts.delete(names, System.nanoTime() + timeoutNanos);
                    return true;
                });
        refusals.forget(limits, key);
    }

    private <T> T ask(Supplier<T> question) {
        connector.awaitFirstAttempt();
        long start = nanoTime.getAsLong();
        health.requireAvailable(start);
        try {
            T answer = question.get();
            latency.took(nanoTime.getAsLong() - start, true);
            health.succeeded();
            return answer;
        } catch (RuntimeException e) {
            long end = nanoTime.getAsLong();
            latency.took(end - start, false);
            health.failed(e, end);
            throw e instanceof StoreUnavailableException unavailable
                    ? unavailable
                    : new StoreUnavailableException("Redis failed: " + e, e);
        }
    }

    @Override
    public void close() {
        connector.close();
        scripts.close();
    }

    /** Learns how long round trips take. */
    @FunctionalInterface
    public interface LatencyListener {

        /**
         * Notes one round trip.
         *
         * @param nanos how long it took
         * @param answered whether all that was asked was answered
         */
        void took(long nanos, boolean answered);
    }
}
