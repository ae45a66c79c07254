package dev.ratelimit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The state of one limit for one key: two longs, both 0 at first, that a strategy reads and
 * changes.
 *
 * <p>Safe for use by many threads. A strategy may keep any value in a slot but {@link
 * Long#MIN_VALUE}, with which a store marks a bucket that it has forgotten. A store catches what
 * reading such a bucket throws, and asks the strategy again with the bucket that took its place.
 */
public class Bucket {

    /** Stands in the slots of a bucket that a store has forgotten. */
    private static final long RETIRED = Long.MIN_VALUE;

    private static final VarHandle SLOT0;
    private static final VarHandle SLOT1;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SLOT0 = lookup.findVarHandle(Bucket.class, "slot0", long.class);
            SLOT1 = lookup.findVarHandle(Bucket.class, "slot1", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long slot0;
    private volatile long slot1;

    /** The limits under which a store keeps this bucket; null while it must not be used yet. */
    volatile @Nullable LimitSet limits;

    /** Makes a bucket with both slots 0. */
    public Bucket() {}

    /**
     * Reads the first slot.
     *
     * @return its value
     */
    public long slot0() {
        return live(slot0);
    }

    /**
     * Reads the second slot.
     *
     * @return its value
     */
    public long slot1() {
        return live(slot1);
    }

    private static long live(long value) {
        if (value == RETIRED) {
            throw RetiredBucketException.INSTANCE;
        }
        return value;
    }

    /**
     * Changes the first slot if it still has an expected value.
     *
     * @param expected what was read
     * @param update what to put there, not {@link Long#MIN_VALUE}
     * @return whether it had that value
     */
    public boolean compareAndSetSlot0(long expected, long update) {
        return SLOT0.compareAndSet(this, expected, storable(update));
    }

    /**
     * Changes the second slot if it still has an expected value.
     *
     * @param expected what was read
     * @param update what to put there, not {@link Long#MIN_VALUE}
     * @return whether it had that value
     */
    public boolean compareAndSetSlot1(long expected, long update) {
        return SLOT1.compareAndSet(this, expected, storable(update));
    }

    private static long storable(long update) {
        if (update == RETIRED) {
            throw new IllegalArgumentException("Long.MIN_VALUE cannot be kept in a bucket");
        }
        return update;
    }

    /**
     * Makes this bucket unusable if nothing has changed since its slots were read: whoever reads it
     * from then on throws {@link RetiredBucketException}.
     *
     * @return whether it did; if not, the bucket is as it was
     */
    boolean retire(long slot0Read, long slot1Read) {
        if (!SLOT0.compareAndSet(this, slot0Read, RETIRED)) {
            return false;
        }
        if (!SLOT1.compareAndSet(this, slot1Read, RETIRED)) {
            slot0 = slot0Read;
            return false;
        }
        return true;
    }

    /** Makes a retired bucket usable again. */
    void revive(long slot0Read, long slot1Read) {
        slot1 = slot1Read;
        slot0 = slot0Read;
    }

    boolean isRetired() {
        return slot0 == RETIRED;
    }
}
