package dev.ratelimit;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private static final int RETRY_NANOS = RateLimitStrategy.RETRY_NANOS;

    /** A longer wait is not worth another look at the clock. */
    private static final long MOST_LAG_NANOS = 1_000_000;

    private final String rule;
    private final TimeSource timeSource;
    private final long maxKeys;
    private final ConcurrentHashMap<Object, Bucket> buckets = new ConcurrentHashMap<>();
    private final AtomicLong keys = new AtomicLong();
    private final AtomicReferenceArray<@Nullable Bucket> overflow =
            new AtomicReferenceArray<>(OVERFLOW_BUCKETS);
    private final LongAdder overflows = new LongAdder();
    private final AtomicBoolean overflowWarned = new AtomicBoolean();
    private final AtomicBoolean sweepWarned = new AtomicBoolean();
    private volatile LimitSet limits;
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
        this.maxKeys = maxKeys;
        this.timeSource = Objects.requireNonNull(timeSource, "timeSource");
    }

    void onClose(Runnable action) {
        onClose = action;
    }

    @Override
    public List<Limit> limits() {
        return limits.list;
    }

    /** The short way, for a key whose bucket is there; whatever comes in between goes the other. */
    @Override
    public boolean tryAcquire(Object key, long permits, long[] out) {
        LimitSet current = limits;
        Bucket bucket = buckets.get(key);
        if (bucket != null && bucket.limits == current) {
            long nowNanos = timeSource.epochNanos();
            try {
                boolean allowed = current.acquire(bucket, permits, nowNanos, out);
                if (allowed || !hasPassed(timeSource, nowNanos, out[RETRY_NANOS])) {
                    return allowed;
                }
            } catch (RetiredBucketException e) {
                // Another bucket takes its place.
            }
        }
        return acquire(key, permits, out, null);
    }

    @Override
    public boolean acquire(Charge charge) {
        return acquire(charge.key(), charge.permits(), LimitSet.scratch(), charge);
    }

    private boolean acquire(Object key, long permits, long[] out, @Nullable Charge charge) {
        boolean again = true;
        for (; ; ) {
            Bucket bucket = enter(key);
            // After the bucket is found: in a bucket that came later, this time would be too early.
            long nowNanos = timeSource.epochNanos();
            try {
                boolean allowed = limitsOf(bucket).acquire(bucket, permits, nowNanos, out, charge);
                if (allowed || !again || !hasPassed(timeSource, nowNanos, out[RETRY_NANOS])) {
                    if (charge != null) {
                        charge.bucket(bucket);
                        charge.answered(nowNanos);
                    }
                    return allowed;
                }
                again = false;
            } catch (RetiredBucketException e) {
                removeRetired(key, bucket);
            }
        }
    }

    /**
     * Whether the wait of a refusal is over already. A thread that read the clock before others,
     * and spends after them, is told to wait for what it lags behind; it asks once more instead.
     */
    static boolean hasPassed(TimeSource timeSource, long nowNanos, long waitNanos) {
        return waitNanos > 0
                && waitNanos <= MOST_LAG_NANOS
                && timeSource.epochNanos() - nowNanos >= waitNanos;
    }

    /** Finds the bucket that a charge is to be spent from. */
    void findBucket(Charge charge) {
        charge.bucket(enter(charge.key()));
    }

    /** The bucket to charge for a key, under the limits of now; there is one afterwards. */
    private Bucket enter(Object key) {
        int place = place(key);
        for (; ; ) {
            Bucket found = find(key, place);
            if (found != null) {
                if (found == overflow.get(place)) {
                    overflows.increment();
                }
                return found;
            }
            if (keys.incrementAndGet() <= maxKeys()) {
                add(key, place);
                continue;
            }
            keys.decrementAndGet();
            if (buckets.mappingCount() >= maxKeys() && !buckets.containsKey(key)) {
                overflow.compareAndSet(place, null, create());
                warnOfOverflow();
            } else {
                // Several threads want to add the same key, and only one of them will.
                Bucket.letOthersRun();
            }
        }
    }

    /** The bucket that a key has, its own or a shared one, under the limits of now. */
    private @Nullable Bucket find(Object key, int place) {
        for (; ; ) {
            // In this order: whoever adds a key looks for a shared bucket afterwards.
            Bucket shared = overflow.get(place);
            Bucket own = buckets.get(key);
            Bucket found = own != null ? own : shared;
            if (found == null || found.limits == limits) {
                return found;
            }
            Bucket converted = convert(found);
            if (converted == null) {
                Bucket.letOthersRun();
            } else if (own != null) {
                buckets.replace(key, own, converted);
            } else {
                overflow.compareAndSet(place, found, converted);
            }
        }
    }

    /**
     * Puts a bucket into the map that cannot be used yet, and makes it usable if nobody has begun
     * meanwhile to share one in its stead. Whoever begins that looks into the map afterwards.
     */
    private void add(Object key, int place) {
        boolean added = false;
        try {
            LimitSet usable = limits;
            Bucket bucket = usable.create();
            added = buckets.putIfAbsent(key, bucket) == null;
            if (added && overflow.get(place) == null) {
                bucket.limits = usable;
            } else if (added) {
                remove(key, bucket);
            }
        } finally {
            if (!added) {
                keys.decrementAndGet();
            }
        }
    }

    private Bucket create() {
        LimitSet current = limits;
        Bucket bucket = current.create();
        bucket.limits = current;
        return bucket;
    }

    /**
     * Retires a bucket of earlier limits and makes one from which as much is spent; null if it is
     * not usable yet, has changed meanwhile, or is retired.
     */
    private @Nullable Bucket convert(Bucket bucket) {
        LimitSet to = limits;
        LimitSet from = bucket.limits;
        if (from == null || from == to) {
            return null;
        }
        try {
            return from.convert(bucket, to, timeSource.epochNanos());
        } catch (RetiredBucketException e) {
            return null;
        }
    }

    private static int place(Object key) {
        int hash = key.hashCode();
        return Math.floorMod(hash ^ hash >>> 16, OVERFLOW_BUCKETS);
    }

    private static LimitSet limitsOf(Bucket bucket) {
        return Objects.requireNonNull(bucket.limits);
    }

    private void warnOfOverflow() {
        if (overflowWarned.compareAndSet(false, true)) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "RL-MAX-KEYS: Rule ''{0}'' counts {1} keys, which is its maximum: new keys"
                            + " share buckets until others become idle. This is logged once",
                    rule,
                    maxKeys());
        }
    }

    private void remove(Object key, Bucket bucket) {
        if (buckets.remove(key, bucket)) {
            keys.decrementAndGet();
        }
    }

    /**
     * Takes out a bucket that was found retired. One of earlier limits stays: another takes its
     * place, in which as much is spent.
     */
    private void removeRetired(Object key, Bucket bucket) {
        if (bucket.isRetired() && bucket.limits == limits) {
            remove(key, bucket);
            overflow.compareAndSet(place(key), bucket, null);
        } else {
            Bucket.letOthersRun();
        }
    }

    void removeRetired(Charge charge) {
        removeRetired(charge.key(), bucketOf(charge));
    }

    boolean admits(Charge charge, long nowNanos) {
        Bucket bucket = bucketOf(charge);
        return limitsOf(bucket).admits(bucket, charge.permits(), nowNanos, LimitSet.scratch());
    }

    /** Spends what a charge demands; its answer is complete either way. */
    boolean spend(Charge charge, long nowNanos) {
        Bucket bucket = bucketOf(charge);
        boolean spent =
                limitsOf(bucket)
                        .spend(bucket, charge.permits(), nowNanos, LimitSet.scratch(), charge);
        charge.answered(nowNanos);
        return spent;
    }

    /** Answers a charge of which nothing is spent; false if these limits would admit it. */
    boolean refuse(Charge charge, long nowNanos) {
        Bucket bucket = bucketOf(charge);
        boolean refused = limitsOf(bucket).refuse(bucket, charge.permits(), nowNanos, charge);
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
            Bucket found = find(key, place(key));
            Bucket bucket = found != null ? found : create();
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
            limitsOf(bucket).refund(bucket, charge, timeSource.epochNanos());
        } catch (RetiredBucketException e) {
            // It equalled a new bucket, or was reset, or the charge was under earlier numbers.
        }
    }

    @Override
    public void reset(Object key) {
        Bucket bucket = buckets.remove(key);
        if (bucket != null) {
            keys.decrementAndGet();
            bucket.retire();
        }
    }

    @Override
    public long size() {
        return buckets.mappingCount();
    }

    @Override
    public long maxKeys() {
        return Math.min(maxKeys, limits.mostKeys);
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
            if (sweepWarned.compareAndSet(false, true)) {
                LOGGER.log(
                        System.Logger.Level.WARNING,
                        "RL-UNFORGOTTEN-KEYS: Rule '"
                                + rule
                                + "' keeps buckets whose strategy cannot tell if they are idle",
                        e);
            }
            return false;
        }
    }

    @Override
    public void close() {
        onClose.run();
    }
}
