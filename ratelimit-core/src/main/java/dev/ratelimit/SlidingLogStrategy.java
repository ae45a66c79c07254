package dev.ratelimit;

import java.util.concurrent.atomic.AtomicLongArray;

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

    /** The stamp of a permit that nobody spent, or that was given back. */
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
                for (; spent > 0; spent--) {
                    removeOne(log, config, nowNanos, nowNanos);
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
            long live = log.live(next, config, nowNanos);
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
        Log log = log(bucket);
        for (long i = 0; i < permits; i++) {
            removeOne(log, config, chargedAtNanos, nowNanos);
        }
    }

    /**
     * Removes the oldest live stamp that is not older than the charge: the charge's own, or one
     * that leaves the window sooner. Every older stamp moves one number up, the newest first, so
     * that at no moment fewer permits are taken than should be.
     */
    private static void removeOne(Log log, LimitConfig config, long chargedAtNanos, long nowNanos) {
        if (nowNanos - chargedAtNanos >= config.windowNanos()) {
            return;
        }
        long next = log.next();
        long number = next - log.live(next, config, nowNanos);
        while (number < next && log.stamp(number) - 1 < chargedAtNanos) {
            number++;
        }
        boolean moved = false;
        while (number < next) {
            switch (log.moveUp(number, config, nowNanos)) {
                case FREED -> {
                    return;
                }
                case MOVED -> {
                    moved = true;
                    number--;
                }
                case GONE -> {
                    if (!moved) {
                        return;
                    }
                    // Another removal has freed this place, whose stamp now stands one number up.
                    number++;
                }
            }
        }
    }

    /** The newest stamps stay, as many as there is room for. */
    @Override
    public Bucket convert(Bucket bucket, LimitConfig from, LimitConfig to, long nowNanos) {
        Log log = log(bucket);
        Log converted = new Log((int) to.requests());
        long next = log.next();
        long live = Math.min(log.live(next, from, nowNanos), converted.length);
        for (long number = next - live; number < next; number++) {
            long place = converted.next();
            converted.spend(place, NONE, log.stamp(number) - 1);
        }
        return converted;
    }

    /** The ring of one key. A stamp is the time in nanoseconds plus 1, so that 0 can mean none. */
    private static final class Log extends Bucket {

        final int length;
        private final AtomicLongArray ring;

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
        private long parity(long number) {
            return (Math.floorDiv(number, (long) length) + 1) & 1;
        }

        /** The stamp at a permit's place, whoever's it is by now. */
        long stamp(long number) {
            return ring.get(place(number)) >>> 1;
        }

        private boolean isLive(long stamp, LimitConfig config, long nowNanos) {
            return stamp != NONE && nowNanos - (stamp - 1) < config.windowNanos();
        }

        /** How many of the permits before {@code next} are within the window: the newest ones. */
        long live(long next, LimitConfig config, long nowNanos) {
            int low = 0;
            int high = length;
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
            return config.windowNanos() - (nowNanos - (stamp(number) - 1));
        }

        /** Stamps and counts the next permit. */
        boolean spend(long number, long oldest, long nowNanos) {
            long previous = length == 1 ? NONE : stamp(number - 1);
            long stamp = Math.max(nowNanos + 1, previous);
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

        /** Puts the stamp of the number below in the place of this one's, or frees it. */
        Move moveUp(long number, LimitConfig config, long nowNanos) {
            for (; ; ) {
                long own = ring.get(place(number));
                if ((own & 1) != parity(number) || own >>> 1 == NONE) {
                    return Move.GONE;
                }
                long below = liveStamp(number - 1, config, nowNanos);
                if (ring.compareAndSet(place(number), own, below << 1 | (own & 1))) {
                    return below == NONE ? Move.FREED : Move.MOVED;
                }
            }
        }

        private long liveStamp(long number, LimitConfig config, long nowNanos) {
            if (slot0() - number > length) {
                return NONE;
            }
            long word = ring.get(place(number));
            long stamp = word >>> 1;
            return (word & 1) == parity(number) && isLive(stamp, config, nowNanos) ? stamp : NONE;
        }
    }

    private enum Move {
        /** The stamp was overwritten by the one below. */
        MOVED,
        /** There was none below, and the place is free now. */
        FREED,
        /** There was no stamp here any more. */
        GONE
    }
}
