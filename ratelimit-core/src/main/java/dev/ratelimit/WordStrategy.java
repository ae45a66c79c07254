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

    /** Whether a word equals a new bucket now and ever after. */
    abstract boolean isIdle(LimitConfig config, long word, long nowNanos);

    /**
     * The formula of the strategy.
     *
     * @return the word after spending; {@code word} itself if nothing was spent
     */
    abstract long spend(LimitConfig config, long word, long permits, long nowNanos, long[] out);

    /** The word after giving back what is left of a charge; {@code word} itself if nothing is. */
    abstract long giveBack(
            LimitConfig config, long word, long permits, long chargedAtNanos, long nowNanos);

    /** What a word says, put into a word for other numbers. */
    abstract long convert(long word, LimitConfig from, LimitConfig to, long nowNanos);

    @Override
    public final boolean check(
            Bucket bucket, LimitConfig config, long permits, long nowNanos, long[] out) {
        for (; ; ) {
            long word = bucket.slot0();
            long wordEra = bucket.slot1();
            long timeNanos = notBefore(wordEra, config, nowNanos);
            long era = era(config, timeNanos);
            long read = readable(config, word, wordEra, era);
            long next = spend(config, read, permits, timeNanos, out);
            if (next == read) {
                if (bucket.slot0() == word) {
                    return out[RETRY_NANOS] == 0;
                }
            } else if (wordEra < era) {
                enter(bucket, word, read, wordEra, era);
            } else if (bucket.compareAndSetSlot0(word, next)) {
                return true;
            }
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
        return isIdle(config, readable(config, word, wordEra, era(config, timeNanos)), timeNanos);
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
        if (!isIdle(from, read, timeNanos)) {
            converted.compareAndSetSlot0(0, convert(read, from, to, timeNanos));
            converted.compareAndSetSlot1(0, era(to, timeNanos));
        }
        return converted;
    }
}
