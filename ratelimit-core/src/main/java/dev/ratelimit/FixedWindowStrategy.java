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
    long era(LimitConfig config, long nowNanos) {
        return Math.floorDiv(nowNanos, config.windowNanos()) >> eraShift(config);
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
        return word(config, era, 0);
    }

    /** A word without a count keeps the sign clear, since it must not be what retires a bucket. */
    private static long word(LimitConfig config, long window, long count) {
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

    @Override
    boolean isIdle(LimitConfig config, long word, long nowNanos) {
        return count(config, word) == 0
                || windowsSince(config, word, Math.floorDiv(nowNanos, config.windowNanos())) > 0;
    }

    @Override
    long spend(LimitConfig config, long word, long permits, long nowNanos, long[] out) {
        long window = Math.floorDiv(nowNanos, config.windowNanos());
        long waitNanos = config.windowNanos() - Math.floorMod(nowNanos, config.windowNanos());
        long count = count(config, word);
        if (count > 0) {
            long since = windowsSince(config, word, window);
            if (since > 0) {
                count = 0;
            } else {
                // A thread that read the clock before others spends from the window that they are
                // in.
                window -= since;
                waitNanos -= since * config.windowNanos();
            }
        }
        boolean allowed = permits <= config.requests() - count;
        if (!allowed) {
            long retryNanos = permits > config.requests() ? -1 : waitNanos;
            answer(out, config, count, waitNanos, retryNanos, nowNanos);
            return word;
        }
        answer(out, config, count + permits, waitNanos, 0, nowNanos);
        return permits == 0 ? word : word(config, window, count + permits);
    }

    private static void answer(
            long[] out,
            LimitConfig config,
            long count,
            long waitNanos,
            long retryNanos,
            long nowNanos) {
        BuiltInStrategy.answer(
                out, config.requests() - count, count == 0 ? 0 : waitNanos, retryNanos, nowNanos);
    }

    @Override
    long giveBack(LimitConfig config, long word, long permits, long chargedAtNanos, long nowNanos) {
        long count = count(config, word);
        long window = Math.floorDiv(chargedAtNanos, config.windowNanos());
        // A window long past may have the number of this one, modulo the range.
        boolean expired = nowNanos - chargedAtNanos >= config.windowNanos();
        if (count == 0 || expired || windowsSince(config, word, window) != 0) {
            return word;
        }
        return word(config, window, Math.max(count - permits, 0));
    }

    @Override
    long convert(long word, LimitConfig from, LimitConfig to, long nowNanos) {
        long window = Math.floorDiv(nowNanos, to.windowNanos());
        return word(to, window, Math.min(count(from, word), to.requests()));
    }
}
