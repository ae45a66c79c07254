package dev.ratelimit;

/**
 * The token bucket as the generic cell rate algorithm (ITU-T I.371): instead of tokens and the time
 * of their last refill, a bucket holds the one moment at which it will be full. What is missing
 * until then is the debt; it shrinks by itself as time passes, so there is no refill that two
 * threads could both make, and no fraction of a token that could get lost.
 *
 * <p>The word is that moment in {@link TokenUnits} modulo 2⁶³, with the lowest bit set; an even
 * word is a full bucket.
 */
final class TokenBucketStrategy extends WordStrategy {

    @Override
    public void validate(LimitConfig config) {}

    @Override
    long era(LimitConfig config, long nowNanos) {
        return config.tokenUnits.era(nowNanos);
    }

    @Override
    long eraStartNanos(LimitConfig config, long era) {
        return config.tokenUnits.eraStartNanos(era);
    }

    @Override
    long idle(LimitConfig config, long era) {
        return (era << 1) & Long.MAX_VALUE;
    }

    @Override
    boolean isIdle(LimitConfig config, long word, long nowNanos) {
        return debt(word, config.tokenUnits.units(nowNanos)) == 0;
    }

    private static long debt(long word, long now) {
        return (word & 1) == 0 ? 0 : Math.max(((word ^ 1) - (now << 1)) >> 1, 0);
    }

    private static long fullAfter(long debt, long now) {
        return ((now + debt) << 1) | 1;
    }

    @Override
    long spend(LimitConfig config, long word, long permits, long nowNanos, long[] out) {
        TokenUnits units = config.tokenUnits;
        long now = units.units(nowNanos);
        long debt = debt(word, now);
        if (permits > config.burst()) {
            answer(out, config, debt, -1, nowNanos);
            return word;
        }
        long owed = debt + permits * units.perPermit;
        if (owed > units.capacity) {
            long waitNanos = units.nanosUntil(owed - units.capacity, nowNanos);
            answer(out, config, debt, permits == 0 ? 0 : waitNanos, nowNanos);
            return word;
        }
        answer(out, config, owed, 0, nowNanos);
        return permits == 0 ? word : fullAfter(owed, now);
    }

    private static void answer(
            long[] out, LimitConfig config, long debt, long retryNanos, long nowNanos) {
        TokenUnits units = config.tokenUnits;
        long remaining = Math.max(units.capacity - debt, 0) / units.perPermit;
        long growth = debt - (units.capacity - (remaining + 1) * units.perPermit);
        BuiltInStrategy.answer(
                out,
                remaining,
                debt == 0 ? 0 : units.nanosUntil(growth, nowNanos),
                retryNanos,
                nowNanos);
    }

    /**
     * A bucket that owed nothing when the charge was made would by now have earned back as much as
     * time has passed since. Whether it owed anything is not known, since what it owed may have
     * been given back. So that much is not given.
     */
    @Override
    long giveBack(LimitConfig config, long word, long permits, long chargedAtNanos, long nowNanos) {
        TokenUnits units = config.tokenUnits;
        long now = units.units(nowNanos);
        long elapsedNanos = Math.max(nowNanos - chargedAtNanos, 0);
        long charged = Math.min(permits, config.burst()) * units.perPermit;
        if (elapsedNanos >= units.nanosUntil(charged, chargedAtNanos)) {
            return word;
        }
        long credit = charged - (now - units.units(nowNanos - elapsedNanos));
        long debt = debt(word, now);
        return debt == 0 ? word : fullAfter(Math.max(debt - credit, 0), now);
    }

    @Override
    long convert(long word, LimitConfig from, LimitConfig to, long nowNanos) {
        long debt = debt(word, from.tokenUnits.units(nowNanos));
        return fullAfter(
                to.tokenUnits.convert(debt, from.tokenUnits), to.tokenUnits.units(nowNanos));
    }
}
