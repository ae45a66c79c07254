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
    public boolean check(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        return decide(bucket, config, permits, nowNanos, out);
    }

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

    /** The debt, in units. */
    @Override
    long state(LimitConfig config, long word, long nowNanos) {
        return debt(word, config.tokenUnits.units(nowNanos));
    }

    private static long debt(long word, long now) {
        return (word & 1) == 0 ? 0 : Math.max((word - (now << 1)) >> 1, 0);
    }

    @Override
    long word(LimitConfig config, long debt, long nowNanos) {
        return fullAfter(debt, config.tokenUnits.units(nowNanos));
    }

    private static long fullAfter(long debt, long now) {
        return ((now + debt) << 1) | 1;
    }

    @Override
    long spend(LimitConfig config, long debt, long permits, long nowNanos) {
        long owed = debt + permits * config.tokenUnits.perPermit;
        return owed > config.tokenUnits.capacity ? debt : owed;
    }

    @Override
    long remaining(LimitConfig config, long debt, long nowNanos) {
        return config.tokenUnits.permits(config.tokenUnits.capacity - debt);
    }

    @Override
    long waitNanos(LimitConfig config, long debt, long permits, long nowNanos) {
        TokenUnits units = config.tokenUnits;
        return units.nanosUntil(debt + permits * units.perPermit - units.capacity, nowNanos);
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
    long convert(long debt, LimitConfig from, LimitConfig to, long nowNanos) {
        return word(to, to.tokenUnits.convert(debt, from.tokenUnits), nowNanos);
    }
}
