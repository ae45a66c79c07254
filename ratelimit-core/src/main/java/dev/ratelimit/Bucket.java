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

    private Bucket(long slot0, long slot1) {
        this.slot0 = slot0;
        this.slot1 = slot1;
    }

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
     * Returns what stands as this bucket did when its slots were read, so that what is found out
     * about it holds for exactly those slots. Of a kind with more state it is the bucket itself:
     * there no change brings earlier slots back.
     */
    Bucket asRead(long slot0Read, long slot1Read) {
        return getClass() == Bucket.class ? new Bucket(slot0Read, slot1Read) : this;
    }

    /**
     * Makes this bucket unusable for ever if its slots still have the values that were read: a
     * strategy that reads it from then on leaves by a {@link RetiredBucketException}. It may do so
     * while this runs, too; only {@link #isRetired()} tells that the bucket does not come back.
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

    /** Makes this bucket unusable for ever, whatever has been spent from it. */
    void retire() {
        while (!isRetired()) {
            try {
                retire(slot0(), slot1());
            } catch (RetiredBucketException e) {
                // Another thread is about to retire it, or to find that it cannot.
                letOthersRun();
            }
        }
    }

    boolean isRetired() {
        return slot1 == RETIRED;
    }

    /**
     * Waits for another thread to end a step or two; it may need this thread's processor for that.
     */
    @SuppressWarnings("ThreadPriorityCheck")
    static void letOthersRun() {
        Thread.yield();
    }
}
