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

/** Keeps buckets in Redis, where every instance of the application finds the same ones. */
public final class RedisStore implements RateLimitStore {

    private final RedisScripts scripts;
    private final String keyPrefix;
    private final long timeoutNanos;

    RedisStore(RedisScripts scripts, String keyPrefix, Duration timeout) {
        this.scripts = scripts;
        this.keyPrefix = keyPrefix;
        this.timeoutNanos = timeout.toNanos();
    }

    @Override
    public String name() {
        return "redis";
    }

    String keyPrefix() {
        return keyPrefix;
    }

    @Override
    public KeyedLimits open(String rule, List<Limit> limits, long maxKeys) {
        return new RedisLimits(this, rule, limits);
    }

    /**
     * Each rule is decided by itself, all in one round trip. If some admit and others refuse, what
     * was spent is given back in a second one.
     */
    @Override
    public boolean acquire(List<Charge> charges) {
        List<long[]> replies = run(calls(Operation.ACQUIRE, charges));
        List<Charge> spent = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            limits(charge).answer(charge, replies.get(i));
            if (charge.allowed()) {
                spent.add(charge);
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

    private List<long[]> run(List<ScriptCall> calls) throws StoreUnavailableException {
        return scripts.run(calls, System.nanoTime() + timeoutNanos);
    }

    void delete(byte[][] keys) {
        scripts.delete(keys, System.nanoTime() + timeoutNanos);
    }

    @Override
    public void close() {
        scripts.close();
    }
}
