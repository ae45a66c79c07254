package dev.ratelimit;

/**
 * Counts in windows of a grid aligned to the epoch, and weighs the previous window's count by how
 * much of that window lies within the last window's length: used = current + ⌈previous · (W - off)
 * / W⌉. The word is the window's number, modulo its range, above the previous and the current
 * count.
 */
final class SlidingWindowStrategy extends WordStrategy {

    @Override
    public void validate(LimitConfig config) {
        BuiltInStrategy.requireNoBurst("SLIDING_WINDOW", config);
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
        return Long.SIZE - 2 * config.countBits - 3;
    }

    @Override
    long idle(LimitConfig config, long era) {
        return wordOf(config, era, 0, 0);
    }

    /** A word without a count keeps the sign clear, since it must not be what retires a bucket. */
    private static long wordOf(LimitConfig config, long window, long previous, long current) {
        int bits = config.countBits;
        long word = window << (2 * bits) | previous << bits | current;
        return (previous | current) == 0 ? word & Long.MAX_VALUE : word;
    }

    private static long current(LimitConfig config, long word) {
        return word & ((1L << config.countBits) - 1);
    }

    private static long previous(LimitConfig config, long word) {
        return current(config, word >>> config.countBits);
    }

    /** How many windows after the word's the given one is. */
    private static long windowsSince(LimitConfig config, long word, long window) {
        int shift = 2 * config.countBits;
        return ((window << shift) - (word >> shift << shift)) >> shift;
    }

    private static long window(LimitConfig config, long nowNanos) {
        return Math.floorDiv(nowNanos, config.windowNanos());
    }

    /**
     * The word as it is in the window of a time; in its own window if that is to come, for a thread
     * that lags behind others.
     */
    @Override
    long state(LimitConfig config, long word, long nowNanos) {
        long previous = previous(config, word);
        long current = current(config, word);
        if ((previous | current) == 0) {
            return 0;
        }
        long window = window(config, nowNanos);
        long since = windowsSince(config, word, window);
        if (since <= 0) {
            return word;
        }
        return since == 1 && current > 0 ? wordOf(config, window, current, 0) : 0;
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
        return state == 0 ? wordOf(config, window(config, nowNanos), 0, permits) : state + permits;
    }

    @Override
    long remaining(LimitConfig config, long state, long nowNanos) {
        long used =
                current(config, state)
                        + weighted(
                                previous(config, state),
                                windowNanosLeft(config, state, nowNanos),
                                config.windowNanos());
        // More may be used than there is after the limit was lowered.
        return Math.max(config.requests() - used, 0);
    }

    /** How much of its window is to come, which is all of it for a thread that lags behind. */
    private static long windowNanosLeft(LimitConfig config, long state, long nowNanos) {
        return state == 0
                ? 0
                : Math.min(nanosToWindowEnd(config, state, nowNanos), config.windowNanos());
    }

    private static long nanosToWindowEnd(LimitConfig config, long state, long nowNanos) {
        long windowsLeft = 1 - windowsSince(config, state, window(config, nowNanos));
        return windowsLeft * config.windowNanos() - Math.floorMod(nowNanos, config.windowNanos());
    }

    /**
     * In the window of the state, what is used decays with the previous count; in the next, with
     * the current one.
     */
    @Override
    long waitNanos(LimitConfig config, long state, long permits, long nowNanos) {
        long windowNanos = config.windowNanos();
        long target = config.requests() - permits;
        long current = current(config, state);
        long endNanos = nanosToWindowEnd(config, state, nowNanos);
        if (target >= current) {
            return endNanos - mulDiv(target - current, windowNanos, previous(config, state));
        }
        return endNanos + windowNanos - mulDiv(target, windowNanos, current);
    }

    /** The previous count times the part of its window that still counts, rounded up. */
    private static long weighted(long previous, long nanosLeft, long windowNanos) {
        return previous == 0 ? 0 : -mulDiv(-previous, nanosLeft, windowNanos);
    }

    /**
     * ⌊a · b / c⌋ where the product may have more than 64 bits but the result is within 2⁵⁵: a
     * floating-point estimate, put right by what the exact product lacks, of which the lowest 64
     * bits are enough.
     */
    private static long mulDiv(long a, long b, long c) {
        long estimate = (long) ((double) a * b / c);
        return estimate + Math.floorDiv(a * b - estimate * c, c);
    }

    @Override
    long giveBack(LimitConfig config, long word, long permits, long chargedAtNanos, long nowNanos) {
        long previous = previous(config, word);
        long current = current(config, word);
        // A window long past may have the number of this one, modulo the range.
        boolean expired = nowNanos - chargedAtNanos >= 2 * config.windowNanos();
        if ((previous | current) == 0 || expired) {
            return word;
        }
        long window = window(config, chargedAtNanos);
        long since = windowsSince(config, word, window);
        if (since == 0) {
            return wordOf(config, window, previous, Math.max(current - permits, 0));
        }
        if (since == -1) {
            return wordOf(config, window + 1, Math.max(previous - permits, 0), current);
        }
        return word;
    }

    @Override
    long convert(long state, LimitConfig from, LimitConfig to, long nowNanos) {
        long window = window(to, nowNanos);
        long limit = to.requests();
        if (from.windowNanos() != to.windowNanos()) {
            long used = from.requests() - remaining(from, state, nowNanos);
            return wordOf(to, window, 0, Math.min(used, limit));
        }
        return wordOf(
                to,
                window,
                Math.min(previous(from, state), limit),
                Math.min(current(from, state), limit));
    }
}
