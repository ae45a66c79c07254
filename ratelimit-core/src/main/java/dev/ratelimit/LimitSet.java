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
    private final Limit[] limits;

    LimitSet(List<Limit> list) {
        this.list = List.copyOf(list);
        this.limits = list.toArray(Limit[]::new);
    }

    boolean isSingle() {
        return limits.length == 1;
    }

    /** For how many keys a quarter of the heap has room, where a key takes much of it. */
    long mostKeys() {
        long bytesPerKey = 0;
        for (Limit limit : limits) {
            if (limit.strategy() instanceof SlidingLogStrategy) {
                bytesPerKey += Long.BYTES * limit.config().requests();
            }
        }
        return bytesPerKey == 0
                ? Long.MAX_VALUE
                : Math.max(Runtime.getRuntime().maxMemory() / 4 / bytesPerKey, 1);
    }

    Bucket create() {
        Bucket bucket;
        if (limits.length == 1) {
            bucket = create(limits[0]);
        } else {
            Bucket[] parts = new Bucket[limits.length];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = create(limits[i]);
            }
            bucket = new BucketGroup(parts);
        }
        bucket.limits = this;
        return bucket;
    }

    private static Bucket create(Limit limit) {
        return limit.strategy().newBucket(limit.config());
    }

    private static Bucket part(Bucket bucket, int limit) {
        return bucket instanceof BucketGroup group ? group.parts[limit] : bucket;
    }

    private boolean check(Bucket bucket, int i, long permits, long nowNanos, long[] out) {
        Limit limit = limits[i];
        return limit.strategy().check(part(bucket, i), limit.config(), permits, nowNanos, out);
    }

    /** Spends under all limits, or none; {@code out} receives what the deciding limit answers. */
    boolean acquire(Bucket bucket, long permits, long nowNanos, long[] out) {
        if (limits.length == 1) {
            return check(bucket, 0, permits, nowNanos, out);
        }
        for (; ; ) {
            if (admits(bucket, permits, nowNanos, out)
                    && spend(bucket, permits, nowNanos, out, null)) {
                return true;
            }
            if (refuse(bucket, permits, nowNanos, out, null)) {
                return false;
            }
        }
    }

    /** Whether every limit would admit so many; spends nothing. */
    boolean admits(Bucket bucket, long permits, long nowNanos, long[] out) {
        for (int i = 0; i < limits.length; i++) {
            check(bucket, i, 0, nowNanos, out);
            if (out[RateLimitStrategy.REMAINING] < permits) {
                return false;
            }
        }
        return true;
    }

    /** Spends under one limit after the other; gives back what it spent when one refuses. */
    boolean spend(Bucket bucket, long permits, long nowNanos, long[] out, @Nullable Charge charge) {
        Strictest strictest = new Strictest();
        for (int i = 0; i < limits.length; i++) {
            prepare(out);
            if (!check(bucket, i, permits, nowNanos, out)) {
                refund(bucket, i, permits, nowNanos, nowNanos);
                return false;
            }
            strictest.add(limits[i], out);
            record(charge, i, nowNanos, out);
        }
        strictest.writeTo(out);
        return true;
    }

    /**
     * Asks each limit why it refuses.
     *
     * @return false if by now none does
     */
    boolean refuse(
            Bucket bucket, long permits, long nowNanos, long[] out, @Nullable Charge charge) {
        Strictest strictest = new Strictest();
        for (int i = 0; i < limits.length; i++) {
            prepare(out);
            check(bucket, i, 0, nowNanos, out);
            if (out[RateLimitStrategy.REMAINING] < permits) {
                if (check(bucket, i, permits, nowNanos, out)) {
                    // Somebody has given back meanwhile; this was to be only a question.
                    refundOne(bucket, i, permits, nowNanos, nowNanos);
                }
                strictest.add(limits[i], out);
            }
            record(charge, i, nowNanos, out);
        }
        strictest.writeTo(out);
        return strictest.refused();
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

    void refund(Bucket bucket, long permits, long chargedAtNanos, long nowNanos) {
        refund(bucket, limits.length, permits, chargedAtNanos, nowNanos);
    }

    private void refund(
            Bucket bucket, int count, long permits, long chargedAtNanos, long nowNanos) {
        for (int i = count - 1; i >= 0; i--) {
            refundOne(bucket, i, permits, chargedAtNanos, nowNanos);
        }
    }

    private void refundOne(Bucket bucket, int i, long permits, long chargedAtNanos, long nowNanos) {
        Limit limit = limits[i];
        limit.strategy().refund(part(bucket, i), limit.config(), permits, chargedAtNanos, nowNanos);
    }

    /** Makes a bucket unusable if it equals a new one. */
    boolean retireIfIdle(Bucket bucket, long nowNanos) {
        return retire(bucket, 0, nowNanos);
    }

    private boolean retire(Bucket bucket, int i, long nowNanos) {
        if (i == limits.length) {
            return true;
        }
        Limit limit = limits[i];
        Bucket part = part(bucket, i);
        long slot0 = part.slot0();
        long slot1 = part.slot1();
        if (!limit.strategy().isIdle(part, limit.config(), nowNanos)
                || !part.retire(slot0, slot1)) {
            return false;
        }
        if (retire(bucket, i + 1, nowNanos)) {
            return true;
        }
        part.revive(slot0, slot1);
        return false;
    }

    /** Makes a bucket unusable, whatever has been spent from it. */
    void retire(Bucket bucket) {
        for (int i = 0; i < limits.length; i++) {
            Bucket part = part(bucket, i);
            try {
                while (!part.retire(part.slot0(), part.slot1())) {
                    Thread.onSpinWait();
                }
            } catch (RetiredBucketException e) {
                // Somebody else was faster.
            }
        }
    }

    boolean isRetired(Bucket bucket) {
        return part(bucket, limits.length - 1).isRetired();
    }

    /** Makes a bucket for other numbers of a single limit from which as much has been spent. */
    Bucket convert(Bucket bucket, LimitSet to, long nowNanos) {
        Limit from = limits[0];
        LimitConfig config = to.limits[0].config();
        Bucket converted;
        if (from.strategy() instanceof BuiltInStrategy builtIn) {
            converted = builtIn.convert(bucket, from.config(), config, nowNanos);
        } else {
            long[] out = scratch();
            from.strategy().check(bucket, from.config(), 0, nowNanos, out);
            long spent = from.config().burst() - out[RateLimitStrategy.REMAINING];
            converted = create(to.limits[0]);
            from.strategy()
                    .check(converted, config, Math.min(spent, config.burst()), nowNanos, out);
        }
        converted.limits = to;
        return converted;
    }

    /** Collects the answer of the strictest limit. Never leaves the method that makes it. */
    private static final class Strictest {

        private long capacity;
        private long remaining;
        private long reset;
        private long retryNanos;

        void add(Limit limit, long[] out) {
            long otherCapacity = limit.config().burst();
            if (capacity == 0
                    || Charge.compareStrictness(
                                    otherCapacity,
                                    out[RateLimitStrategy.REMAINING],
                                    out[RateLimitStrategy.RESET],
                                    out[RateLimitStrategy.RETRY_NANOS],
                                    capacity,
                                    remaining,
                                    reset,
                                    retryNanos)
                            > 0) {
                capacity = otherCapacity;
                remaining = out[RateLimitStrategy.REMAINING];
                reset = out[RateLimitStrategy.RESET];
                retryNanos = out[RateLimitStrategy.RETRY_NANOS];
            }
        }

        boolean refused() {
            return retryNanos != 0;
        }

        void writeTo(long[] out) {
            out[RateLimitStrategy.REMAINING] = remaining;
            out[RateLimitStrategy.RESET] = reset;
            out[RateLimitStrategy.RETRY_NANOS] = retryNanos;
        }
    }
}
