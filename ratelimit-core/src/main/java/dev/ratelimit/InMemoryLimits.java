package dev.ratelimit;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one rule in a map.
 *
 * <p>A bucket leaves the map only when it equals a new one: it is retired by the same
 * compare-and-set that spends from it, so no admission can get lost in between. When the map holds
 * its maximum of keys, new keys share the overflow buckets, and as long as one of these is not
 * idle, the keys that share it go on doing so: a key never has two buckets to spend from.
 */
final class InMemoryLimits implements KeyedLimits {

    private static final System.Logger LOGGER = System.getLogger(InMemoryLimits.class.getName());
    private static final int OVERFLOW_BUCKETS = 64;

    private final String rule;
    private final TimeSource timeSource;
    private final long maxKeys;
    private final ConcurrentHashMap<Object, Bucket> buckets = new ConcurrentHashMap<>();
    private final AtomicLong keys = new AtomicLong();
    private final AtomicReferenceArray<@Nullable Bucket> overflow =
            new AtomicReferenceArray<>(OVERFLOW_BUCKETS);
    private final LongAdder overflows = new LongAdder();
    private volatile LimitSet limits;
    private volatile boolean overflowWarned;
    private volatile Runnable onClose = () -> {};

    InMemoryLimits(String rule, List<Limit> limits, long maxKeys, TimeSource timeSource) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("'" + rule + "' has no limit");
        }
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys must be at least 1: " + maxKeys);
        }
        this.rule = rule;
        this.limits = new LimitSet(limits);
        this.maxKeys = Math.min(maxKeys, this.limits.mostKeys());
        this.timeSource = Objects.requireNonNull(timeSource, "timeSource");
    }

    void onClose(Runnable action) {
        onClose = action;
    }

    @Override
    public List<Limit> limits() {
        return limits.list;
    }

    @Override
    public boolean tryAcquire(Object key, long permits, long[] out) {
        for (; ; ) {
            Bucket bucket = bucket(key);
            // After the bucket is found: in a bucket that came later, this time would be too early.
            long nowNanos = timeSource.epochNanos();
            try {
                return limitsOf(bucket).acquire(bucket, permits, nowNanos, out);
            } catch (RetiredBucketException e) {
                removeRetired(key, bucket);
            }
        }
    }

    @Override
    public boolean acquire(Charge charge) {
        for (; ; ) {
            Bucket bucket = bucket(charge);
            long nowNanos = timeSource.epochNanos();
            try {
                boolean single = limitsOf(bucket).isSingle();
                if ((single || admits(charge, nowNanos)) && spend(charge, nowNanos)) {
                    return true;
                }
                if (refuse(charge, nowNanos)) {
                    return false;
                }
            } catch (RetiredBucketException e) {
                removeRetired(charge);
            }
        }
    }

    /** Finds the bucket that a charge is to be spent from. */
    Bucket bucket(Charge charge) {
        Bucket bucket = bucket(charge.key());
        charge.bucket(bucket);
        return bucket;
    }

    /** The bucket to charge for a key, under the limits of now. */
    private Bucket bucket(Object key) {
        Bucket bucket = buckets.get(key);
        return bucket != null && bucket.limits == limits ? bucket : enter(key);
    }

    private Bucket enter(Object key) {
        int place = place(key);
        for (; ; ) {
            Bucket shared = overflow.get(place);
            Bucket own = buckets.get(key);
            if (own != null) {
                if (own.limits == limits) {
                    return own;
                }
                Bucket converted = convert(own);
                if (converted != null) {
                    buckets.replace(key, own, converted);
                }
            } else if (shared != null) {
                if (shared.limits == limits) {
                    overflows.increment();
                    return shared;
                }
                Bucket converted = convert(shared);
                if (converted != null) {
                    overflow.compareAndSet(place, shared, converted);
                }
            } else if (keys.incrementAndGet() > maxKeys) {
                keys.decrementAndGet();
                overflow.compareAndSet(place, null, limits.create());
                warnOfOverflow();
            } else {
                add(key, place);
            }
        }
    }

    /**
     * Puts a bucket into the map that cannot be used yet, and makes it usable if nobody has begun
     * meanwhile to share one in its stead. Whoever begins that looks into the map afterwards.
     */
    private void add(Object key, int place) {
        Bucket added = limits.create();
        LimitSet usable = added.limits;
        added.limits = null;
        if (buckets.putIfAbsent(key, added) != null) {
            keys.decrementAndGet();
        } else if (overflow.get(place) != null) {
            remove(key, added);
        } else {
            added.limits = usable;
        }
    }

    /**
     * Retires a bucket of earlier limits and makes one from which as much is spent; null if it has
     * changed meanwhile.
     */
    private @Nullable Bucket convert(Bucket bucket) {
        LimitSet to = limits;
        LimitSet from = bucket.limits;
        if (from != null && from != to) {
            try {
                long slot0 = bucket.slot0();
                long slot1 = bucket.slot1();
                Bucket converted = from.convert(bucket, to, timeSource.epochNanos());
                if (bucket.retire(slot0, slot1)) {
                    return converted;
                }
            } catch (RetiredBucketException e) {
                // Another thread is about to replace it.
            }
        }
        Thread.onSpinWait();
        return null;
    }

    private static int place(Object key) {
        int hash = key.hashCode();
        return Math.floorMod(hash ^ hash >>> 16, OVERFLOW_BUCKETS);
    }

    private static LimitSet limitsOf(Bucket bucket) {
        return Objects.requireNonNull(bucket.limits);
    }

    private void warnOfOverflow() {
        if (!overflowWarned) {
            overflowWarned = true;
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "Rule ''{0}'' counts {1} keys, which is its maximum: new keys share buckets until"
                            + " others become idle",
                    rule,
                    maxKeys);
        }
    }

    private void remove(Object key, Bucket bucket) {
        if (buckets.remove(key, bucket)) {
            keys.decrementAndGet();
        }
    }

    /**
     * Takes out a bucket that was found retired, unless it is being converted: then another takes
     * its place.
     */
    private void removeRetired(Object key, Bucket bucket) {
        if (bucket.limits == limits && limitsOf(bucket).isRetired(bucket)) {
            remove(key, bucket);
        } else {
            Thread.onSpinWait();
        }
    }

    void removeRetired(Charge charge) {
        removeRetired(charge.key(), bucketOf(charge));
    }

    boolean admits(Charge charge, long nowNanos) {
        Bucket bucket = bucketOf(charge);
        return limitsOf(bucket).admits(bucket, charge.permits(), nowNanos, LimitSet.scratch());
    }

    boolean spend(Charge charge, long nowNanos) {
        Bucket bucket = bucketOf(charge);
        boolean spent =
                limitsOf(bucket)
                        .spend(bucket, charge.permits(), nowNanos, LimitSet.scratch(), charge);
        charge.answered(nowNanos);
        return spent;
    }

    /** Records why a charge is refused; false if by now it would not be. */
    boolean refuse(Charge charge, long nowNanos) {
        Bucket bucket = bucketOf(charge);
        boolean refused =
                limitsOf(bucket)
                        .refuse(bucket, charge.permits(), nowNanos, LimitSet.scratch(), charge);
        charge.answered(nowNanos);
        return refused;
    }

    private static Bucket bucketOf(Charge charge) {
        return Objects.requireNonNull(charge.bucket());
    }

    @Override
    public void peek(Charge charge) {
        Object key = charge.key();
        for (; ; ) {
            boolean known = buckets.containsKey(key) || overflow.get(place(key)) != null;
            Bucket bucket = known ? bucket(key) : limits.create();
            try {
                limitsOf(bucket).peek(bucket, charge, timeSource.epochNanos());
                return;
            } catch (RetiredBucketException e) {
                removeRetired(key, bucket);
            }
        }
    }

    @Override
    public void refund(Charge charge) {
        Bucket bucket = charge.bucket();
        if (bucket == null) {
            return;
        }
        try {
            limitsOf(bucket)
                    .refund(bucket, charge.permits(), charge.epochNanos(), timeSource.epochNanos());
        } catch (RetiredBucketException e) {
            // It equalled a new bucket or was reset, so there is nothing left of the charge.
        }
    }

    @Override
    public void reset(Object key) {
        Bucket bucket = buckets.get(key);
        LimitSet known = bucket == null ? null : bucket.limits;
        if (bucket != null && known != null) {
            known.retire(bucket);
            remove(key, bucket);
        }
    }

    @Override
    public long size() {
        return buckets.mappingCount();
    }

    @Override
    public long maxKeys() {
        return maxKeys;
    }

    @Override
    public long overflows() {
        return overflows.sum();
    }

    @Override
    public void update(LimitConfig config) {
        List<Limit> current = limits.list;
        if (current.size() != 1) {
            throw new IllegalStateException(
                    "'" + rule + "' has " + current.size() + " limits; only one can be updated");
        }
        limits = new LimitSet(List.of(new Limit(config, current.get(0).strategy())));
    }

    /** Forgets the buckets that equal new ones. */
    void sweep() {
        long nowNanos = timeSource.epochNanos();
        for (Map.Entry<Object, Bucket> entry : buckets.entrySet()) {
            if (forget(entry.getValue(), nowNanos)) {
                remove(entry.getKey(), entry.getValue());
            }
        }
        for (int place = 0; place < OVERFLOW_BUCKETS; place++) {
            Bucket shared = overflow.get(place);
            if (shared != null && forget(shared, nowNanos)) {
                overflow.compareAndSet(place, shared, null);
            }
        }
    }

    private boolean forget(Bucket bucket, long nowNanos) {
        try {
            LimitSet known = bucket.limits;
            return known != null && known.retireIfIdle(bucket, nowNanos);
        } catch (RetiredBucketException e) {
            return false;
        } catch (RuntimeException e) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "Rule ''{0}'' keeps a bucket, since its strategy cannot tell whether it is idle",
                    rule,
                    e);
            return false;
        }
    }

    @Override
    public void close() {
        onClose.run();
    }
}
