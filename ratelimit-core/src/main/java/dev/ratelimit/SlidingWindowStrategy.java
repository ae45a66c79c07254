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
    long era(LimitConfig config, long nowNanos) {
        return Math.floorDiv(nowNanos, config.windowNanos()) >> eraShift(config);
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
        return word(config, era, 0, 0);
    }

    /** A word without a count keeps the sign clear, since it must not be what retires a bucket. */
    private static long word(LimitConfig config, long window, long previous, long current) {
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

    @Override
    boolean isIdle(LimitConfig config, long word, long nowNanos) {
        long previous = previous(config, word);
        long current = current(config, word);
        if ((previous | current) == 0) {
            return true;
        }
        long since = windowsSince(config, word, Math.floorDiv(nowNanos, config.windowNanos()));
        return since > 1 || (since == 1 && current == 0);
    }

    @Override
    long spend(LimitConfig config, long word, long permits, long nowNanos, long[] out) {
        long windowNanos = config.windowNanos();
        long window = Math.floorDiv(nowNanos, windowNanos);
        long offNanos = Math.floorMod(nowNanos, windowNanos);
        long lagNanos = 0;
        long previous = previous(config, word);
        long current = current(config, word);
        if ((previous | current) != 0) {
            long since = windowsSince(config, word, window);
            if (since > 0) {
                previous = since == 1 ? current : 0;
                current = 0;
            } else if (since < 0) {
                // A thread that read the clock before others spends at the start of their window.
                window -= since;
                lagNanos = -since * windowNanos - offNanos;
                offNanos = 0;
            }
        }
        long used = current + weighted(previous, offNanos, windowNanos);
        if (permits > Math.max(config.requests() - used, 0)) {
            long retryNanos = -1;
            if (permits <= config.requests()) {
                long target = config.requests() - permits;
                retryNanos =
                        lagNanos + nanosUntilUsed(target, previous, current, offNanos, windowNanos);
            }
            answer(out, config, used, previous, current, offNanos, lagNanos, retryNanos, nowNanos);
            return word;
        }
        used += permits;
        current += permits;
        answer(out, config, used, previous, current, offNanos, lagNanos, 0, nowNanos);
        return permits == 0 ? word : word(config, window, previous, current);
    }

    private static void answer(
            long[] out,
            LimitConfig config,
            long used,
            long previous,
            long current,
            long offNanos,
            long lagNanos,
            long retryNanos,
            long nowNanos) {
        long growthNanos =
                used == 0
                        ? 0
                        : lagNanos
                                + nanosUntilUsed(
                                        Math.min(used, config.requests()) - 1,
                                        previous,
                                        current,
                                        offNanos,
                                        config.windowNanos());
        // More may be used than there is after the limit was lowered.
        long remaining = Math.max(config.requests() - used, 0);
        BuiltInStrategy.answer(out, remaining, growthNanos, retryNanos, nowNanos);
    }

    /** The previous count times the part of its window that still counts, rounded up. */
    private static long weighted(long previous, long offNanos, long windowNanos) {
        return -mulDiv(-previous, windowNanos - offNanos, windowNanos);
    }

    /**
     * How long it takes until no more than {@code target}, which is less than now, is used: in this
     * window by the decay of the previous count, else in the next by the decay of the current one.
     */
    private static long nanosUntilUsed(
            long target, long previous, long current, long offNanos, long windowNanos) {
        if (target >= current) {
            return windowNanos - offNanos - mulDiv(target - current, windowNanos, previous);
        }
        return 2 * windowNanos - offNanos - mulDiv(target, windowNanos, current);
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
        long window = Math.floorDiv(chargedAtNanos, config.windowNanos());
        long since = windowsSince(config, word, window);
        if (since == 0) {
            return word(config, window, previous, Math.max(current - permits, 0));
        }
        if (since == -1) {
            return word(config, window + 1, Math.max(previous - permits, 0), current);
        }
        return word;
    }

    @Override
    long convert(long word, LimitConfig from, LimitConfig to, long nowNanos) {
        long window = Math.floorDiv(nowNanos, to.windowNanos());
        long limit = to.requests();
        if (from.windowNanos() != to.windowNanos()) {
            long[] out = new long[3];
            spend(from, word, 0, nowNanos, out);
            return word(to, window, 0, Math.min(from.requests() - out[REMAINING], limit));
        }
        long current = current(from, word);
        if (windowsSince(from, word, window) > 0) {
            return word(to, window, Math.min(current, limit), 0);
        }
        return word(to, window, Math.min(previous(from, word), limit), Math.min(current, limit));
    }
}
