package dev.ratelimit;

/**
 * A strategy whose whole state is one word, changed by one compare-and-set.
 *
 * <p>A word is too short for a count beside a time of any length, so a word holds its time modulo
 * some range. What tells apart the times that look the same is the second slot: it holds the era in
 * which the word was last written, and time is cut into eras such that
 *
 * <ul>
 *   <li>a word that nobody touches equals a new bucket at the latest when the era after its own
 *       ends;
 *   <li>the range is eight eras.
 * </ul>
 *
 * <p>So a word is read as it stands while its era is the current one or the one before, and as
 * {@link #idle} afterwards, by which it is replaced before the second slot moves on. Eras last
 * decades where the numbers of a limit are small. A thread whose reading of the clock is an era
 * behind the others' may find a bucket idle that was not yet at that time.
 */
abstract class WordStrategy implements BuiltInStrategy {

    /** The era of a time. */
    abstract long era(LimitConfig config, long nowNanos);

    /** The time at which an era begins. */
    abstract long eraStartNanos(LimitConfig config, long era);

    /** A word that equals a new bucket at any time. Words of different eras differ. */
    abstract long idle(LimitConfig config, long era);

    /** What a word says of a time; 0 if it equals a new bucket. */
    abstract long state(LimitConfig config, long word, long nowNanos);

    /** The word that says so. */
    abstract long word(LimitConfig config, long state, long nowNanos);

    /**
     * The formula of the strategy.
     *
     * @param permits 1 to the capacity
     * @return the state after spending; {@code state} itself if not so many are there
     */
    abstract long spend(LimitConfig config, long state, long permits, long nowNanos);

    /** How many permits are there. */
    abstract long remaining(LimitConfig config, long state, long nowNanos);

    /**
     * How long it takes until so many permits are there.
     *
     * @param permits more than there are, at most the capacity
     */
    abstract long waitNanos(LimitConfig config, long state, long permits, long nowNanos);

    /** The word after giving back what is left of a charge; {@code word} itself if nothing is. */
    abstract long giveBack(
            LimitConfig config, long word, long permits, long chargedAtNanos, long nowNanos);

    /** A word of other numbers that says as much as a state which is not 0. */
    abstract long convert(long state, LimitConfig from, LimitConfig to, long nowNanos);

    /**
     * Does what {@link #check} is to do. Each strategy has a check of its own that calls this:
     * there the compiler knows whose methods are called here, however many strategies are in use.
     */
    final boolean decide(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        for (; ; ) {
            // In this order: a word that is not of the era read after it has been replaced.
            long word = bucket.slot0();
            long wordEra = bucket.slot1();
            long timeNanos = nowNanos;
            long era = era(config, nowNanos);
            long read = word;
            if (wordEra != era) {
                timeNanos = notBefore(wordEra, config, nowNanos);
                era = era(config, timeNanos);
                read = readable(config, word, wordEra, era);
            }
            long state = state(config, read, timeNanos);
            boolean fits = permits <= config.burst();
            long next = permits > 0 && fits ? spend(config, state, permits, timeNanos) : state;
            long retryNanos = 0;
            if (next != state) {
                if (wordEra < era) {
                    enter(bucket, word, read, wordEra, era);
                    continue;
                }
                if (!bucket.compareAndSetSlot0(word, word(config, next, timeNanos))) {
                    continue;
                }
            } else if (bucket.slot0() != word) {
                continue;
            } else if (permits > 0) {
                retryNanos = fits ? waitNanos(config, state, permits, timeNanos) : -1;
            }
            long remaining = remaining(config, next, timeNanos);
            long growthNanos = next == 0 ? 0 : waitNanos(config, next, remaining + 1, timeNanos);
            BuiltInStrategy.answer(out, remaining, growthNanos, retryNanos, timeNanos);
            return retryNanos == 0;
        }
    }

    /** A reading of the clock from before the word's era would be wrong modulo the range. */
    private long notBefore(long wordEra, LimitConfig config, long nowNanos) {
        return Math.max(nowNanos, eraStartNanos(config, wordEra));
    }

    private long readable(LimitConfig config, long word, long wordEra, long era) {
        return era - wordEra < 2 ? word : idle(config, era);
    }

    /**
     * A word that is no longer read as it stands must be replaced before the second slot moves on.
     */
    private static void enter(Bucket bucket, long word, long read, long wordEra, long era) {
        if (read == word || bucket.compareAndSetSlot0(word, read)) {
            bucket.compareAndSetSlot1(wordEra, era);
        }
    }

    @Override
    public final boolean isIdle(Bucket bucket, LimitConfig config, long nowNanos) {
        long word = bucket.slot0();
        long wordEra = bucket.slot1();
        long timeNanos = notBefore(wordEra, config, nowNanos);
        long read = readable(config, word, wordEra, era(config, timeNanos));
        return state(config, read, timeNanos) == 0;
    }

    @Override
    public final void refund(
            Bucket bucket, LimitConfig config, long permits, long chargedAtNanos, long nowNanos) {
        for (; ; ) {
            long word = bucket.slot0();
            long wordEra = bucket.slot1();
            long timeNanos = notBefore(wordEra, config, nowNanos);
            long read = readable(config, word, wordEra, era(config, timeNanos));
            long next = giveBack(config, read, permits, chargedAtNanos, timeNanos);
            if (next == read || bucket.compareAndSetSlot0(word, next)) {
                return;
            }
        }
    }

    @Override
    public final Bucket convert(Bucket bucket, LimitConfig from, LimitConfig to, long nowNanos) {
        long wordEra = bucket.slot1();
        long timeNanos = notBefore(wordEra, from, nowNanos);
        long read = readable(from, bucket.slot0(), wordEra, era(from, timeNanos));
        Bucket converted = new Bucket();
        long state = state(from, read, timeNanos);
        if (state != 0) {
            converted.compareAndSetSlot0(0, convert(state, from, to, timeNanos));
            converted.compareAndSetSlot1(0, era(to, timeNanos));
        }
        return converted;
    }
}
