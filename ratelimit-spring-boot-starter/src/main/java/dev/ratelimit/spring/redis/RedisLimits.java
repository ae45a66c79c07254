package dev.ratelimit.spring.redis;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.RateLimitStrategy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The limits of one rule, with buckets in Redis. */
final class RedisLimits implements KeyedLimits {

    private static final int ANSWER_WIDTH = 3;

    private static final Pattern ESCAPED = Pattern.compile("[%}\\p{Cs}]");

    private static final long NANOS_PER_MICRO = 1_000;
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final RedisStore store;
    private final String rule;

    /** Up to the key, which ends the hash tag. */
    private final String keyPrefix;

    private final long maxKeysOfStandIn;
    private volatile Arguments current;
    private volatile @Nullable KeyedLimits standIn;

    RedisLimits(RedisStore store, String rule, List<Limit> limits, long maxKeysOfStandIn) {
        this.store = store;
        this.rule = rule;
        this.keyPrefix = store.keyPrefix() + '{' + rule + ':';
        this.maxKeysOfStandIn = maxKeysOfStandIn;
        this.current = new Arguments(limits);
    }

    @Override
    public List<Limit> limits() {
        return current.limits;
    }

    @Override
    public boolean tryAcquire(Object key, long permits, long[] out) {
        Charge charge = new Charge(this, key, permits);
        boolean allowed = acquire(charge);
        int deciding = charge.deciding();
        out[RateLimitStrategy.REMAINING] = charge.remaining(deciding);
        out[RateLimitStrategy.RESET] = charge.resetEpochSeconds(deciding);
        out[RateLimitStrategy.RETRY_NANOS] = charge.retryNanos(deciding);
        return allowed;
    }

    @Override
    public boolean acquire(Charge charge) {
        return store.acquire(List.of(charge));
    }

    @Override
    public void peek(Charge charge) {
        answer(charge, store.run(call(Operation.PEEK, charge)));
    }

    /** Of a charge from before the numbers were changed nothing is given back, as in memory. */
    @Override
    public void refund(Charge charge) {
        if (charge.configured() != current.limits) {
            return;
        }
        store.run(call(Operation.REFUND, charge));
        store.gaveBack(this, charge.key());
    }

    @Override
    public void reset(Object key) {
        store.run(call(Operation.RESET, new Charge(this, key, 1)));
        store.gaveBack(this, key);
        KeyedLimits local = standIn;
        if (local != null) {
            local.reset(key);
        }
    }

    /** Always 0: to count the keys of a rule, a server would have to look at all that it has. */
    @Override
    public long size() {
        return 0;
    }

    /** As many as the server has room for. */
    @Override
    public long maxKeys() {
        return Long.MAX_VALUE;
    }

    @Override
    public long overflows() {
        return 0;
    }

    @Override
    public synchronized void update(LimitConfig config) {
        List<Limit> limits = current.limits;
        if (limits.size() > 1) {
            throw new IllegalStateException(
                    "'" + rule + "' has several limits, which cannot be changed");
        }
        current = new Arguments(List.of(new Limit(config, limits.get(0).strategy())));
        if (standIn != null) {
            standIn.update(config);
        }
    }

    /** Opened when it is needed first, which may be never. */
    @Override
    public KeyedLimits standIn() {
        KeyedLimits local = standIn;
        return local == null ? openStandIn() : local;
    }

    private synchronized KeyedLimits openStandIn() {
        KeyedLimits local = standIn;
        if (local == null) {
            local = store.standIn().open(rule, current.limits, maxKeysOfStandIn);
            standIn = local;
        }
        return local;
    }

    @Override
    public synchronized void close() {
        if (standIn != null) {
            standIn.close();
        }
    }

    /** What to ask the script about a demand. */
    ScriptCall call(Operation operation, Charge charge) {
        Arguments arguments = current;
        return new ScriptCall(
                keys(charge.key(), arguments),
                arguments.of(operation, charge.permits(), charge.epochNanos() / NANOS_PER_MICRO));
    }

    private byte[][] keys(Object key, Arguments arguments) {
        String tagged = keyPrefix + escape(key.toString()) + "}:";
        byte[][] keys = new byte[arguments.kinds.length][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = ScriptCall.bytes(tagged + i + arguments.kinds[i]);
        }
        return keys;
    }

    /** The first closing brace ends the hash tag, and half a character cannot be encoded. */
    private static String escape(String key) {
        if (!ESCAPED.matcher(key).find()) {
            return key;
        }
        return ESCAPED.matcher(key)
                .replaceAll(found -> "%%%02X".formatted((int) found.group().charAt(0)));
    }

    /** Records what the script has answered. */
    void answer(Charge charge, long[] reply) {
        long nowMicros = reply[0];
        for (int i = 0; i < charge.configured().size(); i++) {
            int at = 1 + i * ANSWER_WIDTH;
            long growthMicros = reply[at + 1];
            long retryMicros = reply[at + 2];
            charge.answer(
                    i,
                    reply[at],
                    growthMicros * NANOS_PER_MICRO,
                    retryMicros < 0 ? -1 : retryMicros * NANOS_PER_MICRO,
                    -Math.floorDiv(-nowMicros - growthMicros, MICROS_PER_SECOND));
        }
        charge.answered(nowMicros * NANOS_PER_MICRO);
    }

    /** What the script is to do. */
    enum Operation {
        ACQUIRE,
        PEEK,
        REFUND,
        RESET;

        private final String argument = name().toLowerCase(Locale.ROOT);
    }

    /** The limits at one time, and what the script is told of them. */
    private static final class Arguments {

        final List<Limit> limits;
        final String[] kinds;
        private final byte[][] ofLimits;

        /** The demand of nearly every call. */
        private final byte[][] acquireOne;

        Arguments(List<Limit> limits) {
            this.limits = List.copyOf(limits);
            this.kinds = new String[limits.size()];
            byte[][][] each = new byte[limits.size()][][];
            for (int i = 0; i < each.length; i++) {
                RedisLimit limit = new RedisLimit(limits.get(i));
                kinds[i] = limit.kind;
                each[i] = limit.arguments;
            }
            this.ofLimits = Arrays.stream(each).flatMap(Arrays::stream).toArray(byte[][]::new);
            this.acquireOne = make(Operation.ACQUIRE, 1, 0);
        }

        byte[][] of(Operation operation, long permits, long chargedAtMicros) {
            return operation == Operation.ACQUIRE && permits == 1
                    ? acquireOne
                    : make(operation, permits, chargedAtMicros);
        }

        private byte[][] make(Operation operation, long permits, long chargedAtMicros) {
            byte[][] all = new byte[3 + ofLimits.length][];
            all[0] = ScriptCall.bytes(operation.argument);
            all[1] = ScriptCall.bytes(permits);
            all[2] = ScriptCall.bytes(chargedAtMicros);
            System.arraycopy(ofLimits, 0, all, 3, ofLimits.length);
            return all;
        }
    }
}
