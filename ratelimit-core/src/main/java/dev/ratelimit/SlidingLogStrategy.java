package dev.ratelimit;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the time of each of the last N permits, in a ring of N stamps: a permit is spent by
 * overwriting the oldest stamp, which must have left the window.
 *
 * <p>The permits of a bucket are numbered from 0; the first slot holds the number that comes next,
 * and a permit's number gives its place in the ring and the lap in which it is there. A stamp
 * carries the parity of its lap, so that everybody can see whether the next permit has already been
 * stamped, and help to count it. A permit is spent when it is counted. Stamps never decrease from
 * one number to the next.
 */
final class SlidingLogStrategy implements BuiltInStrategy {

    private static final long MAX_REQUESTS = 10_000;

    private static final long NONE = 0;

    @Override
    public void validate(LimitConfig config) {
        BuiltInStrategy.requireNoBurst("SLIDING_LOG", config);
        if (config.requests() > MAX_REQUESTS) {
            throw new IllegalArgumentException(
                    "requests must be at most "
                            + MAX_REQUESTS
                            + " for SLIDING_LOG, which keeps 8 bytes for each: "
                            + config.requests());
        }
    }

    @Override
    public Bucket newBucket(LimitConfig config) {
        validate(config);
        return new Log((int) config.requests());
    }

    private static Log log(Bucket bucket) {
        if (bucket instanceof Log log) {
            return log;
        }
        throw new IllegalArgumentException(
                "SLIDING_LOG needs a bucket made by its newBucket: " + bucket.getClass().getName());
    }

    @Override
    public boolean check(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        Log log = log(bucket);
        if (permits > log.length) {
            peek(log, config, nowNanos, out);
            out[RETRY_NANOS] = -1;
            return false;
        }
        if (permits == 0) {
            peek(log, config, nowNanos, out);
            return true;
        }
        long spent = 0;
        while (spent < permits) {
            if (!spendOne(log, config, permits - spent, nowNanos, out)) {
                if (spent > 0) {
                    log.remove(config, new Removal(spent, nowNanos, nowNanos));
                }
                return false;
            }
            spent++;
        }
        return true;
    }

    /** Spends one of so many that are wanted, if all of them are there. */
    private static boolean spendOne(
            Log log, LimitConfig config, long wanted, long nowNanos, long[] out) {
        for (; ; ) {
            long next = log.next();
            long oldest = log.stamp(next - log.length);
            if (!log.isNext(next)) {
                // Laps later, the same place may look as if it were this permit's turn.
                continue;
            }
            long live = log.live(next, oldest, config, nowNanos);
            long free = log.length - live;
            boolean allowed = free >= wanted;
            long retryNanos =
                    allowed ? 0 : log.liveFor(next - live + (wanted - free) - 1, config, nowNanos);
            // Where all are free again, the next to come back is the one that is spent now.
            long growthNanos =
                    live == 0
                            ? (allowed ? config.windowNanos() : 0)
                            : log.liveFor(next - live, config, nowNanos);
            BuiltInStrategy.answer(
                    out, allowed ? free - wanted : free, growthNanos, retryNanos, nowNanos);
            if (!allowed) {
                if (log.isNext(next)) {
                    return false;
                }
            } else if (log.spend(next, oldest, nowNanos)) {
                return true;
            }
        }
    }

    private static void peek(Log log, LimitConfig config, long nowNanos, long[] out) {
        for (; ; ) {
            long next = log.next();
            long live = log.live(next, config, nowNanos);
            long growthNanos = live == 0 ? 0 : log.liveFor(next - live, config, nowNanos);
            BuiltInStrategy.answer(out, log.length - live, growthNanos, 0, nowNanos);
            if (log.isNext(next)) {
                return;
            }
        }
    }

    @Override
    public boolean isIdle(Bucket bucket, LimitConfig config, long nowNanos) {
        Log log = log(bucket);
        long next = log.next();
        return log.live(next, config, nowNanos) == 0 && log.isNext(next);
    }

    @Override
    public void refund(
            Bucket bucket, LimitConfig config, long permits, long chargedAtNanos, long nowNanos) {
        log(bucket).remove(config, new Removal(permits, chargedAtNanos, nowNanos));
    }

    /** The newest stamps stay, as many as there is room for. */
    @Override
    public Bucket convert(Bucket bucket, LimitConfig from, LimitConfig to, long nowNanos) {
        Log log = log(bucket);
        Log converted = new Log((int) to.requests());
        long next = log.next();
        long live = Math.min(log.live(next, from, nowNanos), converted.length);
        for (long number = next - live; number < next; number++) {
            converted.spend(converted.next(), NONE, log.stamp(number) - Log.FIRST_STAMP);
        }
        return converted;
    }

    /**
     * The ring of one key. A stamp is a time in nanoseconds plus {@link #FIRST_STAMP}; what is less
     * stands in a place that is free and counts its laps, so that a place which has been spent and
     * given back does not look as it did before.
     */
    private static final class Log extends Bucket {

        static final long FIRST_STAMP = 1L << 32;

        private static final AtomicReferenceFieldUpdater<Log, Removal> LAST_REMOVAL =
                AtomicReferenceFieldUpdater.newUpdater(Log.class, Removal.class, "lastRemoval");

        final int length;
        private final AtomicLongArray ring;
        private volatile @Nullable Removal lastRemoval;

        Log(int length) {
            this.length = length;
            this.ring = new AtomicLongArray(length);
        }

        /** The number of the next permit; counts one that is stamped but not yet counted. */
        long next() {
            for (; ; ) {
                long next = slot0();
                if (!isStamped(next)) {
                    return next;
                }
                compareAndSetSlot0(next, next + 1);
            }
        }

        boolean isNext(long number) {
            return slot0() == number && !isStamped(number);
        }

        private boolean isStamped(long number) {
            return (ring.get(place(number)) & 1) == parity(number);
        }

        private int place(long number) {
            return (int) Math.floorMod(number, (long) length);
        }

        /** Laps count from 1, since the ring is made of zeros. */
        private long lap(long number) {
            return Math.floorDiv(number, (long) length) + 1;
        }

        private long parity(long number) {
            return lap(number) & 1;
        }

        /** What stands at a permit's place, whoever's it is by now. */
        long stamp(long number) {
            return ring.get(place(number)) >>> 1;
        }

        private boolean isLive(long stamp, LimitConfig config, long nowNanos) {
            return stamp >= FIRST_STAMP && nowNanos - (stamp - FIRST_STAMP) < config.windowNanos();
        }

        /** How many of the permits before {@code next} are within the window: the newest ones. */
        long live(long next, LimitConfig config, long nowNanos) {
            return live(next, stamp(next - length), config, nowNanos);
        }

        /** The same, where what stands in the place of the oldest has been read already. */
        long live(long next, long oldest, LimitConfig config, long nowNanos) {
            if (isLive(oldest, config, nowNanos)) {
                return length;
            }
            int low = 0;
            int high = length - 1;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (isLive(stamp(next - 1 - middle), config, nowNanos)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /** How long a permit stays within the window. */
        long liveFor(long number, LimitConfig config, long nowNanos) {
            return config.windowNanos() - (nowNanos - (stamp(number) - FIRST_STAMP));
        }

        /** Stamps and counts the next permit. */
        boolean spend(long number, long oldest, long nowNanos) {
            long previous = length == 1 ? NONE : stamp(number - 1);
            long stamp = Math.max(nowNanos + FIRST_STAMP, previous);
            long parity = parity(number);
            if (!ring.compareAndSet(
                    place(number), oldest << 1 | (parity ^ 1), stamp << 1 | parity)) {
                return false;
            }
            if (!compareAndSetSlot0(number, number + 1)) {
                // Somebody else has counted it, or the store has forgotten this bucket: then this
                // throws.
                slot0();
            }
            return true;
        }

        /**
         * Gives permits back. One thread does it for all that want to at the same time: what others
         * push onto its removal it does next, and they need not wait for it.
         */
        void remove(LimitConfig config, Removal removal) {
            do {
                removal.earlier = lastRemoval;
            } while (!LAST_REMOVAL.compareAndSet(this, removal.earlier, removal));
            if (removal.earlier == null) {
                removeAll(config, removal);
                while (!LAST_REMOVAL.compareAndSet(this, removal, null)) {
                    Removal other = LAST_REMOVAL.getAndSet(this, removal);
                    while (other != null && other != removal) {
                        removeAll(config, other);
                        other = other.earlier;
                    }
                }
            }
        }

        private void removeAll(LimitConfig config, Removal removal) {
            for (long i = Math.min(removal.permits, length); i > 0; i--) {
                while (!removeOne(config, removal)) {
                    // Somebody has spent while this looked for the stamp.
                }
            }
        }

        /**
         * Removes the oldest live stamp that is not older than the charge: the charge's own, or one
         * that leaves the window sooner. Every older stamp moves one number up, the newest first,
         * so that at no moment fewer permits are taken than should be.
         */
        private boolean removeOne(LimitConfig config, Removal removal) {
            long next = next();
            // The newest stamp may be later than the clock was when the removal was asked for.
            long nowNanos = Math.max(removal.nowNanos, stamp(next - 1) - FIRST_STAMP);
            if (nowNanos - removal.chargedAtNanos >= config.windowNanos()) {
                return true;
            }
            long first = next - live(next, config, nowNanos);
            while (first < next && stamp(first) - FIRST_STAMP < removal.chargedAtNanos) {
                first++;
            }
            if (first == next) {
                return isNext(next);
            }
            for (long number = first; ; number--) {
                long stamp = stampOf(number);
                long below = liveStampOf(number - 1, config, nowNanos);
                if (stamp == NONE || !replace(number, stamp, below)) {
                    // It has left the window, and so has its copy one number up.
                    return number < first;
                }
                if (below == NONE) {
                    return true;
                }
            }
        }

        /** The stamp of a permit, or none if its place is free or a later one's. */
        private long stampOf(long number) {
            long word = ring.get(place(number));
            boolean own = (word & 1) == parity(number) && slot0() - number <= length;
            return own && word >>> 1 >= FIRST_STAMP ? word >>> 1 : NONE;
        }

        private long liveStampOf(long number, LimitConfig config, long nowNanos) {
            long stamp = stampOf(number);
            return isLive(stamp, config, nowNanos) ? stamp : NONE;
        }

        /** Puts another stamp in a permit's place, or frees it. */
        private boolean replace(long number, long stamp, long update) {
            long parity = parity(number);
            long put = update == NONE ? lap(number) & (FIRST_STAMP - 1) : update;
            return ring.compareAndSet(place(number), stamp << 1 | parity, put << 1 | parity);
        }
    }

    /** So many permits of a charge that are to be given back. */
    private static final class Removal {

        final long permits;
        final long chargedAtNanos;
        final long nowNanos;

        /** What another thread wants removed, and wanted before. */
        @Nullable Removal earlier;

        Removal(long permits, long chargedAtNanos, long nowNanos) {
            this.permits = permits;
            this.chargedAtNanos = chargedAtNanos;
            this.nowNanos = nowNanos;
        }
    }
}
