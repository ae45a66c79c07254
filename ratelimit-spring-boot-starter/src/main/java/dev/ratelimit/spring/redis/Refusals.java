package dev.ratelimit.spring.redis;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The latest refusals, so that a client that comes again too early costs no round trip. A refusal
 * is repeated, to the same demand, until the first moment at which Redis would say anything else,
 * and for at most 1 s, since elsewhere the key may be reset or given something back. There is a
 * fixed number of places; a refusal may take another's.
 */
final class Refusals {

    private static final int PLACES = 1 << 12;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicReferenceArray<@Nullable Refusal> places =
            new AtomicReferenceArray<>(PLACES);

    private static int place(KeyedLimits limits, Object key) {
        int hash = System.identityHashCode(limits) * 31 + key.hashCode();
        return (hash ^ hash >>> 16) & (PLACES - 1);
    }

    /** Remembers what Redis has just answered to a demand, if that was a refusal. */
    void note(Charge charge, long nanoTime) {
        if (charge.allowed()) {
            forget(charge.limits(), charge.key());
            return;
        }
        long untilChangeNanos = MOST_NANOS;
        for (int i = 0; i < charge.configured().size(); i++) {
            if (charge.growthNanos(i) > 0) {
                untilChangeNanos = Math.min(untilChangeNanos, charge.growthNanos(i));
            }
        }
        places.set(
                place(charge.limits(), charge.key()),
                new Refusal(charge, nanoTime, untilChangeNanos));
    }

    /** Forgets a key of which something may have been given back. */
    void forget(KeyedLimits limits, Object key) {
        int place = place(limits, key);
        if (places.get(place) != null) {
            places.set(place, null);
        }
    }

    /** Answers a demand that is known to be refused; tells whether it is. */
    boolean answer(Charge charge, long nanoTime) {
        Refusal known = places.get(place(charge.limits(), charge.key()));
        return known != null && known.answers(charge, nanoTime);
    }

    private record Refusal(Charge refused, long atNanoTime, long untilChangeNanos) {

        boolean answers(Charge charge, long nanoTime) {
            long elapsedNanos = nanoTime - atNanoTime;
            List<Limit> configured = refused.configured();
            if (elapsedNanos >= untilChangeNanos
                    || charge.permits() != refused.permits()
                    || charge.limits() != refused.limits()
                    || charge.configured() != configured
                    || !charge.key().equals(refused.key())) {
                return false;
            }
            long nowNanos = refused.epochNanos() + elapsedNanos;
            for (int i = 0; i < configured.size(); i++) {
                long growthNanos = refused.growthNanos(i);
                long retryNanos = refused.retryNanos(i);
                charge.answer(
                        i,
                        refused.remaining(i),
                        growthNanos == 0 ? 0 : growthNanos - elapsedNanos,
                        retryNanos <= 0 ? retryNanos : retryNanos - elapsedNanos,
                        growthNanos == 0
                                ? -Math.floorDiv(-nowNanos, NANOS_PER_SECOND)
                                : refused.resetEpochSeconds(i));
            }
            charge.answered(nowNanos);
            return true;
        }
    }
}
