package dev.ratelimit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a rule as they are at one time, and what they decide together on a key's bucket: a
 * plain one under one limit, a {@link BucketGroup} under several.
 *
 * <p>Several limits are first asked without spending, so that a refusal writes nothing, and then
 * spent one after the other; what was spent is given back when a racing thread was faster at a
 * later one. That may refuse what some order of the threads would admit, and never admits more.
 */
final class LimitSet {

    private static final int NONE = -1;

    final List<Limit> list;

    /** For how many keys a quarter of the heap has room, where a key takes much of it. */
    final long mostKeys;

    private final Limit[] limits;

    /** Which of the limits need {@link #complete}. */
    private final boolean[] custom;

    // What a decision under a single limit needs, without a detour.
    private final boolean single;
    private final RateLimitStrategy firstStrategy;
    private final LimitConfig firstConfig;
    private final boolean firstCustom;

    LimitSet(List<Limit> list) {
        this.list = List.copyOf(list);
        this.limits = list.toArray(Limit[]::new);
        this.mostKeys = mostKeys(list);
        this.custom = new boolean[limits.length];
        for (int i = 0; i < limits.length; i++) {
            custom[i] = !(limits[i].strategy() instanceof BuiltInStrategy);
        }
        this.single = limits.length == 1;
        this.firstStrategy = limits[0].strategy();
        this.firstConfig = limits[0].config();
        this.firstCustom = custom[0];
    }

    private static long mostKeys(List<Limit> list) {
        long bytesPerKey = 0;
        for (Limit limit : list) {
            if (limit.strategy() instanceof SlidingLogStrategy) {
                bytesPerKey += Long.BYTES * limit.config().requests();
            }
        }
        return bytesPerKey == 0
                ? Long.MAX_VALUE
                : Math.max(Runtime.getRuntime().maxMemory() / 4 / bytesPerKey, 1);
    }

    /** Makes a bucket, which is not to be used before {@link Bucket#limits} is set. */
    Bucket create() {
        if (single) {
            return create(limits[0]);
        }
        Bucket[] parts = new Bucket[limits.length];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = create(limits[i]);
        }
        return new BucketGroup(parts);
    }

    private static Bucket create(Limit limit) {
        return limit.strategy().newBucket(limit.config());
    }

    private static Bucket part(Bucket bucket, int limit) {
        return bucket instanceof BucketGroup group ? group.parts[limit] : bucket;
    }

    private boolean check(Bucket bucket, int i, long permits, long nowNanos, long[] out) {
        Limit limit = limits[i];
        boolean allowed =
                limit.strategy().check(part(bucket, i), limit.config(), permits, nowNanos, out);
        if (custom[i]) {
            complete(allowed, limit.config(), nowNanos, out);
        }
        return allowed;
    }

    /** Makes sense of what a strategy of the application left out, or got wrong. */
    private static void complete(boolean allowed, LimitConfig config, long nowNanos, long[] out) {
        long remaining = out[RateLimitStrategy.REMAINING];
        out[RateLimitStrategy.REMAINING] = Math.min(Math.max(remaining, 0), config.burst());
        out[RateLimitStrategy.RESET] =
                Math.max(out[RateLimitStrategy.RESET], Seconds.ceil(nowNanos, 0));
        long retryNanos = Math.max(out[RateLimitStrategy.RETRY_NANOS], -1);
        out[RateLimitStrategy.RETRY_NANOS] = allowed ? 0 : retryNanos == 0 ? 1 : retryNanos;
    }

    /** Spends under all limits, or none. The deciding limit's answer is then in {@code out}. */
    boolean acquire(Bucket bucket, long permits, long nowNanos, long[] out) {
        return single
                ? spendSingle(bucket, permits, nowNanos, out)
                : acquire(bucket, permits, nowNanos, out, null);
    }

    private boolean spendSingle(Bucket bucket, long permits, long nowNanos, long[] out) {
        boolean allowed = firstStrategy.check(bucket, firstConfig, permits, nowNanos, out);
        if (firstCustom) {
            complete(allowed, firstConfig, nowNanos, out);
        }
        return allowed;
    }

    /**
     * Spends under all limits, or none. The deciding limit's answer is then in {@code out}, and
     * each limit's in the charge, if there is one.
     */
    boolean acquire(
            Bucket bucket, long permits, long nowNanos, long[] out, @Nullable Charge charge) {
        if (!single && refuse(bucket, permits, nowNanos, out, charge)) {
            return false;
        }
        return spend(bucket, permits, nowNanos, out, charge);
    }

    /** Does the same without asking first. */
    boolean spend(Bucket bucket, long permits, long nowNanos, long[] out, @Nullable Charge charge) {
        if (!single) {
            return spendGroup((BucketGroup) bucket, permits, nowNanos, out, charge);
        }
        prepare(out);
        boolean allowed = spendSingle(bucket, permits, nowNanos, out);
        record(charge, 0, nowNanos, out);
        return allowed;
    }

    private boolean spendGroup(
            BucketGroup group, long permits, long nowNanos, long[] out, @Nullable Charge charge) {
        int deciding = spend(group, 0, permits, nowNanos, out, charge);
        if (deciding < 0) {
            answerRefusal(group, ~deciding, permits, nowNanos, out, charge);
            return false;
        }
        group.spent();
        return true;
    }

    /**
     * Spends under a limit and all those after it, or under none of them.
     *
     * @return the index of the deciding limit, whose answer is in {@code out}; of one that refuses,
     *     its complement
     */
    private int spend(
            BucketGroup group,
            int i,
            long permits,
            long nowNanos,
            long[] out,
            @Nullable Charge charge) {
        prepare(out);
        if (!check(group, i, permits, nowNanos, out)) {
            return ~i;
        }
        record(charge, i, nowNanos, out);
        if (i + 1 == limits.length) {
            return i;
        }
        long remaining = out[RateLimitStrategy.REMAINING];
        long reset = out[RateLimitStrategy.RESET];
        int later = spend(group, i + 1, permits, nowNanos, out, charge);
        if (later < 0) {
            refund(group, i, permits, nowNanos, nowNanos);
            return later;
        }
        if (compareStrictness(i, remaining, reset, 0, later, out) < 0) {
            return later;
        }
        out[RateLimitStrategy.REMAINING] = remaining;
        out[RateLimitStrategy.RESET] = reset;
        return i;
    }

    private int compareStrictness(
            int i, long remaining, long reset, long retryNanos, int j, long[] out) {
        return Charge.compareStrictness(
                limits[i].config().burst(),
                remaining,
                reset,
                retryNanos,
                limits[j].config().burst(),
                out[RateLimitStrategy.REMAINING],
                out[RateLimitStrategy.RESET],
                out[RateLimitStrategy.RETRY_NANOS]);
    }

    /** Whether every limit has room for so many. */
    boolean admits(Bucket bucket, long permits, long nowNanos, long[] out) {
        return firstWithoutRoom(bucket, permits, nowNanos, out) == NONE;
    }

    private int firstWithoutRoom(Bucket bucket, long permits, long nowNanos, long[] out) {
        for (int i = 0; i < limits.length; i++) {
            check(bucket, i, 0, nowNanos, out);
            if (out[RateLimitStrategy.REMAINING] < permits) {
                return i;
            }
        }
        return NONE;
    }

    /** Answers a demand that some limit refuses; false if none does. Spends nothing. */
    private boolean refuse(
            Bucket bucket, long permits, long nowNanos, long[] out, @Nullable Charge charge) {
        int first = firstWithoutRoom(bucket, permits, nowNanos, out);
        if (first == NONE || !refuses(bucket, first, permits, nowNanos, out)) {
            return false;
        }
        answerRefusal(bucket, first, permits, nowNanos, out, charge);
        return true;
    }

    /** Answers a demand of which nothing is spent; false if no limit refuses it. */
    boolean refuse(Bucket bucket, long permits, long nowNanos, Charge charge) {
        long[] out = scratch();
        if (refuse(bucket, permits, nowNanos, out, charge)) {
            return true;
        }
        for (int i = 0; i < limits.length; i++) {
            prepare(out);
            check(bucket, i, 0, nowNanos, out);
            record(charge, i, nowNanos, out);
        }
        return false;
    }

    /** Whether one limit refuses; its answer is in {@code out}. Spends nothing. */
    private boolean refuses(Bucket bucket, int i, long permits, long nowNanos, long[] out) {
        prepare(out);
        check(bucket, i, 0, nowNanos, out);
        if (out[RateLimitStrategy.REMAINING] >= permits) {
            return false;
        }
        if (!check(bucket, i, permits, nowNanos, out)) {
            return true;
        }
        // Somebody has given back meanwhile; this was to be only a question.
        refund(bucket, i, permits, nowNanos, nowNanos);
        check(bucket, i, 0, nowNanos, out);
        return false;
    }

    /** Answers a refusal by one limit, whose answer is in {@code out}, and maybe by others. */
    private void answerRefusal(
            Bucket bucket,
            int refusing,
            long permits,
            long nowNanos,
            long[] out,
            @Nullable Charge charge) {
        record(charge, refusing, nowNanos, out);
        int deciding = refusing;
        long remaining = out[RateLimitStrategy.REMAINING];
        long reset = out[RateLimitStrategy.RESET];
        long retryNanos = out[RateLimitStrategy.RETRY_NANOS];
        for (int i = 0; i < limits.length; i++) {
            if (i == refusing) {
                continue;
            }
            boolean refuses = refuses(bucket, i, permits, nowNanos, out);
            record(charge, i, nowNanos, out);
            if (refuses) {
                int order = compareStrictness(deciding, remaining, reset, retryNanos, i, out);
                if (order < 0 || (order == 0 && i < deciding)) {
                    deciding = i;
                    remaining = out[RateLimitStrategy.REMAINING];
                    reset = out[RateLimitStrategy.RESET];
                    retryNanos = out[RateLimitStrategy.RETRY_NANOS];
                }
            }
        }
        out[RateLimitStrategy.REMAINING] = remaining;
        out[RateLimitStrategy.RESET] = reset;
        out[RateLimitStrategy.RETRY_NANOS] = retryNanos;
        requireLive(bucket);
    }

    /** Answers what a demand for one permit would be told. */
    void peek(Bucket bucket, Charge charge, long nowNanos) {
        long[] out = scratch();
        for (int i = 0; i < limits.length; i++) {
            prepare(out);
            check(bucket, i, 0, nowNanos, out);
            if (out[RateLimitStrategy.REMAINING] == 0) {
                out[RateLimitStrategy.RETRY_NANOS] = growthNanos(i, nowNanos, out);
            }
            record(charge, i, nowNanos, out);
        }
        charge.answered(nowNanos);
        requireLive(bucket);
    }

    /** The parts of a group can be read when it is retired, but say nothing about the key then. */
    private static void requireLive(Bucket bucket) {
        if (bucket instanceof BucketGroup) {
            bucket.slot0();
        }
    }

    /** An array for answers that has room for the growth. */
    static long[] scratch() {
        return new long[BuiltInStrategy.GROWTH_NANOS + 1];
    }

    private static void prepare(long[] out) {
        if (out.length > BuiltInStrategy.GROWTH_NANOS) {
            out[BuiltInStrategy.GROWTH_NANOS] = NONE;
        }
    }

    private void record(@Nullable Charge charge, int i, long nowNanos, long[] out) {
        if (charge != null) {
            charge.answer(
                    i,
                    out[RateLimitStrategy.REMAINING],
                    growthNanos(i, nowNanos, out),
                    out[RateLimitStrategy.RETRY_NANOS],
                    out[RateLimitStrategy.RESET]);
        }
    }

    /** A custom strategy tells the growth only as a reset, in whole seconds. */
    private long growthNanos(int i, long nowNanos, long[] out) {
        if (out[BuiltInStrategy.GROWTH_NANOS] != NONE) {
            return out[BuiltInStrategy.GROWTH_NANOS];
        }
        return out[RateLimitStrategy.REMAINING] >= limits[i].config().burst()
                ? 0
                : Math.max(Seconds.toNanos(out[RateLimitStrategy.RESET]) - nowNanos, 1);
    }

    void refund(Bucket bucket, Charge charge, long nowNanos) {
        for (int i = limits.length - 1; i >= 0; i--) {
            refund(bucket, i, charge.permits(), charge.epochNanos(), nowNanos);
        }
    }

    private void refund(Bucket bucket, int i, long permits, long chargedAtNanos, long nowNanos) {
        Limit limit = limits[i];
        limit.strategy().refund(part(bucket, i), limit.config(), permits, chargedAtNanos, nowNanos);
    }

    /** Makes a bucket unusable if it equals a new one. */
    boolean retireIfIdle(Bucket bucket, long nowNanos) {
        long slot0 = bucket.slot0();
        long slot1 = bucket.slot1();
        Bucket read = bucket.asRead(slot0, slot1);
        for (int i = 0; i < limits.length; i++) {
            Limit limit = limits[i];
            if (!limit.strategy().isIdle(part(read, i), limit.config(), nowNanos)) {
                return false;
            }
        }
        return bucket.retire(slot0, slot1);
    }

    /**
     * Retires a bucket of a single limit and makes one of other numbers from which as much has been
     * spent; null if the bucket has changed meanwhile.
     */
    @Nullable Bucket convert(Bucket bucket, LimitSet to, long nowNanos) {
        long slot0 = bucket.slot0();
        long slot1 = bucket.slot1();
        Bucket converted = converted(bucket.asRead(slot0, slot1), to, nowNanos);
        converted.limits = to;
        return bucket.retire(slot0, slot1) ? converted : null;
    }

    private Bucket converted(Bucket bucket, LimitSet to, long nowNanos) {
        Limit from = limits[0];
        LimitConfig config = to.limits[0].config();
        if (from.strategy() instanceof BuiltInStrategy builtIn) {
            return builtIn.convert(bucket, from.config(), config, nowNanos);
        }
        long[] out = scratch();
        from.strategy().check(bucket, from.config(), 0, nowNanos, out);
        long spent = from.config().burst() - out[RateLimitStrategy.REMAINING];
        Bucket converted = create(to.limits[0]);
        from.strategy().check(converted, config, Math.min(spent, config.burst()), nowNanos, out);
        return converted;
    }
}
