package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import java.math.BigInteger;

/**
 * A bucket of tokens as textbooks draw it, in exact arithmetic: a token is worth as many parts as a
 * window has nanoseconds, and each nanosecond brings as many parts as a window has requests.
 *
 * <p>It has no memory of charges, so it gives back only what a bucket that was full before the
 * charge would not have earned since.
 */
class TokenBucketModel extends ReferenceModel {

    private final BigInteger partsPerToken;
    private final BigInteger partsPerNano;
    private final BigInteger full;
    private BigInteger parts;
    private long asOfNanos;

    TokenBucketModel(LimitConfig config) {
        super(config);
        partsPerToken = BigInteger.valueOf(config.windowNanos());
        partsPerNano = BigInteger.valueOf(config.requests());
        full = partsPerToken.multiply(BigInteger.valueOf(config.burst()));
        parts = full;
    }

    private BigInteger partsAt(long atNanos) {
        BigInteger earned = partsPerNano.multiply(BigInteger.valueOf(atNanos - asOfNanos));
        return parts.add(earned).min(full);
    }

    @Override
    public final long free(long atNanos) {
        BigInteger now = partsAt(atNanos);
        return now.signum() < 0 ? -1 : now.divide(partsPerToken).longValueExact();
    }

    final boolean isFull(long atNanos) {
        return partsAt(atNanos).equals(full);
    }

    /** Makes the bucket what it was before anything was spent. */
    final void renew() {
        parts = full;
        asOfNanos = 0;
    }

    @Override
    public void spend(long permits, long nowNanos) {
        BigInteger cost = partsPerToken.multiply(BigInteger.valueOf(permits));
        parts = partsAt(nowNanos).subtract(cost);
        asOfNanos = nowNanos;
    }

    @Override
    public void refund(long permits, long chargedAtNanos, long nowNanos) {
        BigInteger charged = partsPerToken.multiply(BigInteger.valueOf(permits));
        BigInteger earned = partsPerNano.multiply(BigInteger.valueOf(nowNanos - chargedAtNanos));
        BigInteger rest = charged.subtract(earned).max(BigInteger.ZERO);
        parts = partsAt(nowNanos).add(rest).min(full);
        asOfNanos = nowNanos;
    }
}
