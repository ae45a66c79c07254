package dev.ratelimit;

/**
 * Counts in each window of a grid aligned to the epoch. The word is the window's number, modulo its
 * range, above the count.
 */
final class FixedWindowStrategy extends WordStrategy {

    @Override
    public void validate(LimitConfig config) {
        BuiltInStrategy.requireNoBurst("FIXED_WINDOW", config);
    }

    @Override
    public boolean check(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        return decide(bucket, config, permits, nowNanos, out);
    }

    @Override
    long era(LimitConfig config, long nowNanos) {
        return window(config, nowNanos) >> eraShift(config);
    }

    @Override
    long eraStartNanos(LimitConfig config, long era) {
        return (era << eraShift(config)) * config.windowNanos();
    }

    /** An era is this power of two of a window. */
    private static int eraShift(LimitConfig config) {
        return Long.SIZE - config.countBits - 3;
    }

    @Override
    long idle(LimitConfig config, long era) {
        return wordOf(config, era, 0);
    }

    /** A word without a count keeps the sign clear, since it must not be what retires a bucket. */
    private static long wordOf(LimitConfig config, long window, long count) {
        long word = window << config.countBits | count;
        return count == 0 ? word & Long.MAX_VALUE : word;
    }

    private static long count(LimitConfig config, long word) {
        return word & ((1L << config.countBits) - 1);
    }

    /** How many windows after the word's the given one is. */
    private static long windowsSince(LimitConfig config, long word, long window) {
        return ((window << config.countBits) - (word - count(config, word))) >> config.countBits;
    }

    private static long window(LimitConfig config, long nowNanos) {
        return Math.floorDiv(nowNanos, config.windowNanos());
    }

    /** The word, unless its window is over; it is to come for a thread that lags behind others. */
    @Override
    long state(LimitConfig config, long word, long nowNanos) {
        return count(config, word) == 0 || windowsSince(config, word, window(config, nowNanos)) > 0
                ? 0
                : word;
    }

    @Override
    long word(LimitConfig config, long state, long nowNanos) {
        return state;
    }

    @Override
    long spend(LimitConfig config, long state, long permits, long nowNanos) {
        if (permits > remaining(config, state, nowNanos)) {
            return state;
        }
        return state == 0 ? wordOf(config, window(config, nowNanos), permits) : state + permits;
    }

    @Override
    long remaining(LimitConfig config, long state, long nowNanos) {
        return config.requests() - count(config, state);
    }

    @Override
    long waitNanos(LimitConfig config, long state, long permits, long nowNanos) {
        long windowsLeft = 1 - windowsSince(config, state, window(config, nowNanos));
        return windowsLeft * config.windowNanos() - Math.floorMod(nowNanos, config.windowNanos());
    }

    @Override
    long giveBack(LimitConfig config, long word, long permits, long chargedAtNanos, long nowNanos) {
        long count = count(config, word);
        long window = window(config, chargedAtNanos);
        // A window long past may have the number of this one, modulo the range.
        boolean expired = nowNanos - chargedAtNanos >= config.windowNanos();
        if (count == 0 || expired || windowsSince(config, word, window) != 0) {
            return word;
        }
        return wordOf(config, window, Math.max(count - permits, 0));
    }

    @Override
    long convert(long state, LimitConfig from, LimitConfig to, long nowNanos) {
        return wordOf(to, window(to, nowNanos), Math.min(count(from, state), to.requests()));
    }
}
