package dev.ratelimit.spring.redis;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The latest refusals, so that a client that comes again too early costs no round trip. A refusal
 * is repeated, to the same demands, until the first moment at which a limit that refuses would say
 * anything else, and for at most 1 s, since elsewhere its key may be reset or given something back.
 * What it tells of limits that do not refuse is as old. There is a fixed number of places; a
 * refusal may take another's.
 */
final class Refusals {

    private static final int PLACES = 1 << 14;

    /** What clients choose can be long, and stays here until something else takes its place. */
    private static final int MOST_CHARS = 300;

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicReferenceArray<@Nullable Refusal> places =
            new AtomicReferenceArray<>(PLACES);

    /** How often something was given back to keys of a place. */
    private final AtomicIntegerArray givenBack = new AtomicIntegerArray(PLACES);

    private static int place(int hash) {
        return (hash ^ hash >>> 16) & (PLACES - 1);
    }

    private static int place(List<Charge> charges) {
        int hash = 0;
        for (Charge charge : charges) {
            hash = hash * 31 + hash(charge.limits(), charge.key());
        }
        return place(hash);
    }

    private static int hash(KeyedLimits limits, Object key) {
        return System.identityHashCode(limits) * 31 + key.hashCode();
    }

    /**
     * Returns how often something was given back to each key, to be asked for before Redis is: a
     * refusal from before a refund must not be repeated after it.
     */
    int[] givenBack(List<Charge> charges) {
        int[] counts = new int[charges.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = givenBack(charges.get(i));
        }
        return counts;
    }

    private int givenBack(Charge charge) {
        return givenBack.get(place(hash(charge.limits(), charge.key())));
    }

    /** Notes that something was given back to a key. */
    void gaveBack(KeyedLimits limits, Object key) {
        givenBack.incrementAndGet(place(hash(limits, key)));
    }

    /**
     * Remembers a refusal. Redis made it at some moment between these two: it is repeated no longer
     * than if that was the first, and the waits that it tells began when they were told.
     */
    void refused(List<Charge> charges, int[] givenBack, long sentNanoTime, long answeredNanoTime) {
        if (charges.stream().allMatch(Refusals::isShort)) {
            places.set(
                    place(charges),
                    new Refusal(charges, givenBack, sentNanoTime, answeredNanoTime));
        }
    }

    private static boolean isShort(Charge charge) {
        return charge.key().toString().length() <= MOST_CHARS;
    }

    /** Forgets what was said before to demands on the same keys. */
    void admitted(List<Charge> charges) {
        int place = place(charges);
        if (places.get(place) != null) {
            places.set(place, null);
        }
    }

    /** Answers demands that are known to be refused; tells whether they are. */
    boolean answer(List<Charge> demands, long nanoTime) {
        Refusal known = places.get(place(demands));
        if (known == null || !known.answers(demands, nanoTime)) {
            return false;
        }
        known.repeat(demands, nanoTime);
        return true;
    }

    private final class Refusal {

        private final List<Charge> charges;
        private final int[] givenBackBefore;
        private final long answeredNanoTime;
        private final long untilNanoTime;

        Refusal(
                List<Charge> charges,
                int[] givenBackBefore,
                long sentNanoTime,
                long answeredNanoTime) {
            this.charges = charges;
            this.givenBackBefore = givenBackBefore;
            this.answeredNanoTime = answeredNanoTime;
            long nanos = MOST_NANOS;
            for (Charge charge : charges) {
                for (int i = 0; i < charge.configured().size(); i++) {
                    if (charge.retryNanos(i) != 0 && charge.growthNanos(i) > 0) {
                        nanos = Math.min(nanos, charge.growthNanos(i));
                    }
                }
            }
            this.untilNanoTime = sentNanoTime + nanos;
        }

        boolean answers(List<Charge> demands, long nanoTime) {
            if (nanoTime - untilNanoTime >= 0 || demands.size() != charges.size()) {
                return false;
            }
            for (int i = 0; i < demands.size(); i++) {
                Charge charge = charges.get(i);
                if (!isSame(demands.get(i), charge)
                        || (!charge.allowed() && givenBack(charge) != givenBackBefore[i])) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isSame(Charge demand, Charge charge) {
            return demand.permits() == charge.permits()
                    && demand.limits() == charge.limits()
                    && demand.configured() == charge.configured()
                    && demand.key().equals(charge.key());
        }

        void repeat(List<Charge> demands, long nanoTime) {
            for (int i = 0; i < demands.size(); i++) {
                repeat(demands.get(i), charges.get(i), nanoTime - answeredNanoTime);
            }
        }

        private static void repeat(Charge demand, Charge charge, long elapsedNanos) {
            long nowNanos = charge.epochNanos() + elapsedNanos;
            for (int i = 0; i < charge.configured().size(); i++) {
                long growthNanos = charge.growthNanos(i);
                long retryNanos = charge.retryNanos(i);
                demand.answer(
                        i,
                        charge.remaining(i),
                        growthNanos == 0 ? 0 : Math.max(growthNanos - elapsedNanos, 1),
                        retryNanos <= 0 ? retryNanos : retryNanos - elapsedNanos,
                        Math.max(
                                charge.resetEpochSeconds(i),
                                -Math.floorDiv(-nowNanos, NANOS_PER_SECOND)));
            }
            demand.answered(nowNanos);
        }
    }
}
