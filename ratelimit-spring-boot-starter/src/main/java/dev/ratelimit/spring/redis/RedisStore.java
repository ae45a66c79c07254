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
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Keeps buckets in Redis, where every instance of the application finds the same ones. */
public final class RedisStore implements RateLimitStore {

    private final RedisCalls calls;
    private final String keyPrefix;
    private final RateLimitStore standIn;
    private final LongSupplier nanoTime;
    private final Refusals refusals = new Refusals();

    RedisStore(
            RedisScripts scripts,
            String keyPrefix,
            Duration timeout,
            RateLimitStore standIn,
            LongSupplier nanoTime) {
        this.calls = new RedisCalls(scripts, timeout, nanoTime);
        this.keyPrefix = keyPrefix;
        this.standIn = standIn;
        this.nanoTime = nanoTime;
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
        calls.start();
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public String state() {
        return calls.isAvailable() ? "available" : "unavailable";
    }

    /**
     * Tells somebody how long each round trip takes.
     *
     * @param listener who is told
     */
    public void tell(LatencyListener listener) {
        calls.tell(listener);
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
     * was spent is given back in a second one. Those that were not answered count neither way: what
     * others have spent stays spent if none of them refuses, and each has its answer.
     */
    @Override
    public boolean acquire(List<Charge> charges) {
        if (refusals.answer(charges, nanoTime.getAsLong())) {
            return false;
        }
        int[] givenBack = refusals.givenBack(charges);
        long deadlineNanoTime = calls.deadline();
        long sentNanoTime = nanoTime.getAsLong();
        List<ScriptReply> replies = calls.run(calls(Operation.ACQUIRE, charges), deadlineNanoTime);
        long answeredNanoTime = nanoTime.getAsLong();
        List<Charge> spent = new ArrayList<>(charges.size());
        int answered = 0;
        StoreUnavailableException failure = null;
        for (int i = 0; i < charges.size(); i++) {
            if (replies.get(i).failure() != null) {
                failure = replies.get(i).failure();
                continue;
            }
            Charge charge = charges.get(i);
            limits(charge).answer(charge, replies.get(i).integers());
            answered++;
            if (charge.allowed()) {
                spent.add(charge);
            }
        }
        boolean refused = spent.size() < answered;
        if (refused && !spent.isEmpty()) {
            giveBack(spent, deadlineNanoTime);
        }
        if (failure != null) {
            throw failure;
        }
        if (refused) {
            refusals.refused(charges, givenBack, sentNanoTime, answeredNanoTime);
        } else {
            refusals.admitted(charges);
        }
        return !refused;
    }

    /** What is not answered stays spent, which is too strict for a while only. */
    private void giveBack(List<Charge> spent, long deadlineNanoTime) {
        List<ScriptReply> replies = calls.run(calls(Operation.REFUND, spent), deadlineNanoTime);
        for (int i = 0; i < spent.size(); i++) {
            Charge charge = spent.get(i);
            if (replies.get(i).failure() == null) {
                limits(charge).answer(charge, replies.get(i).integers());
            }
            gaveBack(charge.limits(), charge.key());
        }
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

    /**
     * Asks the script once.
     *
     * @throws StoreUnavailableException if it is not answered
     */
    long[] run(ScriptCall call) {
        return calls.run(List.of(call), calls.deadline()).get(0).integers();
    }

    /** Notes that something was given back to a key, which may be admitted from now on. */
    void gaveBack(KeyedLimits limits, Object key) {
        refusals.gaveBack(limits, key);
    }

    @Override
    public void close() {
        calls.close();
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
