package dev.ratelimit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A demand for permits for one key under all limits of one rule, and what a {@link RateLimitStore}
 * answered. Used by one thread at a time, and for one demand.
 */
public final class Charge {

    private static final int WIDTH = BuiltInStrategy.GROWTH_NANOS + 1;

    private final KeyedLimits limits;
    private final Object key;
    private final long permits;
    private final List<Limit> configured;
    private final long[] answers;
    private int deciding;
    private long epochNanos;
    private boolean answered;
    private @Nullable Bucket bucket;

    /**
     * Demands permits.
     *
     * @param limits the rule's limits
     * @param key who is counted
     * @param permits how many, at least 1
     */
    public Charge(KeyedLimits limits, Object key, long permits) {
        this.limits = limits;
        this.key = key;
        this.permits = permits;
        this.configured = limits.limits();
        this.answers = new long[configured.size() * WIDTH];
    }

    /**
     * Returns where the buckets are.
     *
     * @return the rule's limits
     */
    public KeyedLimits limits() {
        return limits;
    }

    /**
     * Returns who is counted.
     *
     * @return the key
     */
    public Object key() {
        return key;
    }

    /**
     * Returns how many permits are demanded.
     *
     * @return at least 1
     */
    public long permits() {
        return permits;
    }

    /**
     * Returns the limits as they were when this was made, in their order.
     *
     * @return at least one
     */
    public List<Limit> configured() {
        return configured;
    }

    /**
     * For stores: records what one limit answered.
     *
     * @param limit its index
     * @param remaining permits that are left
     * @param growthNanos nanoseconds until {@code remaining} would grow, 0 when full
     * @param retryNanos nanoseconds until this demand would be met: 0 when it was, -1 when it never
     *     is
     * @param resetEpochSeconds the epoch second, rounded up, in which {@code remaining} would grow
     */
    public void answer(
            int limit, long remaining, long growthNanos, long retryNanos, long resetEpochSeconds) {
        int at = limit * WIDTH;
        answers[at + RateLimitStrategy.REMAINING] = remaining;
        answers[at + RateLimitStrategy.RESET] = resetEpochSeconds;
        answers[at + RateLimitStrategy.RETRY_NANOS] = retryNanos;
        answers[at + BuiltInStrategy.GROWTH_NANOS] = growthNanos;
    }

    /**
     * For stores: ends the answer, after each limit's was recorded.
     *
     * @param epochNanos when it was given, in nanoseconds since the epoch
     */
    public void answered(long epochNanos) {
        this.epochNanos = epochNanos;
        answered = true;
        deciding = 0;
        for (int i = 1; i < configured.size(); i++) {
            if (compareStrictness(this, i, this, deciding) > 0) {
                deciding = i;
            }
        }
    }

    /**
     * Tells whether a store has answered this.
     *
     * @return false if the answers are still to come, or never will
     */
    public boolean isAnswered() {
        return answered;
    }

    /**
     * Tells whether no limit of this rule refused. Of several charges at once, the permits were
     * spent only if that holds of all.
     *
     * @return whether this rule admits the demand
     */
    public boolean allowed() {
        return retryNanos(deciding) == 0;
    }

    /**
     * Returns which limit decided.
     *
     * @return its index
     */
    public int deciding() {
        return deciding;
    }

    /**
     * Returns what is left of a limit.
     *
     * @param limit its index
     * @return permits, not negative
     */
    public long remaining(int limit) {
        return answers[limit * WIDTH + RateLimitStrategy.REMAINING];
    }

    /**
     * Returns when more of a limit will be left.
     *
     * @param limit its index
     * @return seconds since the epoch, rounded up; the time of the answer when it is full
     */
    public long resetEpochSeconds(int limit) {
        return answers[limit * WIDTH + RateLimitStrategy.RESET];
    }

    /**
     * Returns how long it takes until a limit would admit this demand.
     *
     * @param limit its index
     * @return nanoseconds; 0 when it does, -1 when it never will
     */
    public long retryNanos(int limit) {
        return answers[limit * WIDTH + RateLimitStrategy.RETRY_NANOS];
    }

    /**
     * Returns how long it takes until more of a limit will be left.
     *
     * @param limit its index
     * @return nanoseconds; 0 when it is full
     */
    public long growthNanos(int limit) {
        return answers[limit * WIDTH + BuiltInStrategy.GROWTH_NANOS];
    }

    /**
     * Returns when this was answered.
     *
     * @return nanoseconds since the epoch
     */
    public long epochNanos() {
        return epochNanos;
    }

    /**
     * Returns the answer of the deciding limit.
     *
     * @return a decision
     */
    public Decision decision() {
        return decision(permits, this);
    }

    /** The answer to a peek, which spent nothing. */
    Decision peeked() {
        return decision(0, null);
    }

    private Decision decision(long asked, @Nullable Charge spent) {
        return new Decision(
                allowed(),
                configured.get(deciding).config().burst(),
                remaining(deciding),
                resetEpochSeconds(deciding),
                retryNanos(deciding),
                asked,
                epochNanos,
                spent);
    }

    /**
     * Compares two answers to one request by their deciding limits: a refusal is stricter than an
     * admission, of two refusals the longer wait, of two admissions the smaller part of the
     * capacity that is left, and then the later reset.
     *
     * @param other another answer
     * @return positive if this is the stricter one, 0 if they are equally strict
     */
    public int compareStrictness(Charge other) {
        return compareStrictness(this, deciding, other, other.deciding);
    }

    private static int compareStrictness(Charge a, int i, Charge b, int j) {
        return compareStrictness(
                a.configured.get(i).config().burst(),
                a.remaining(i),
                a.resetEpochSeconds(i),
                a.retryNanos(i),
                b.configured.get(j).config().burst(),
                b.remaining(j),
                b.resetEpochSeconds(j),
                b.retryNanos(j));
    }

    static int compareStrictness(
            long capacityA,
            long remainingA,
            long resetA,
            long retryA,
            long capacityB,
            long remainingB,
            long resetB,
            long retryB) {
        // Unsigned, 0 is no wait at all and -1, which is never, the longest.
        int byWait = Long.compareUnsigned(retryA, retryB);
        if (byWait != 0) {
            return byWait;
        }
        if (retryA == 0) {
            int byShare = Long.compare(remainingB * capacityA, remainingA * capacityB);
            if (byShare != 0) {
                return byShare;
            }
        }
        return Long.compare(resetA, resetB);
    }

    /** The bucket that the permits were spent from, in memory. */
    @Nullable Bucket bucket() {
        return bucket;
    }

    void bucket(Bucket bucket) {
        this.bucket = bucket;
    }
}
