package dev.ratelimit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** What a store may answer about one limit for one key: what lies between two models. */
final class Expectation {

    private final ReferenceModel strictest;
    private final ReferenceModel mostGenerous;
    private final long resolutionNanos;

    Expectation(LimitStrategy strategy, LimitConfig config, long resolutionNanos) {
        this.strictest = ReferenceModel.strictest(strategy, config);
        this.mostGenerous = ReferenceModel.mostGenerous(strategy, config);
        this.resolutionNanos = resolutionNanos;
    }

    boolean mustAdmit(long permits, long nowNanos) {
        return strictest.free(nowNanos) >= permits;
    }

    boolean mayAdmit(long permits, long nowNanos) {
        return mostGenerous.free(nowNanos) >= permits;
    }

    void spend(long permits, long nowNanos) {
        strictest.spend(permits, nowNanos);
        mostGenerous.spend(permits, nowNanos);
    }

    void refund(long permits, long chargedAtNanos, long nowNanos) {
        strictest.refund(permits, chargedAtNanos, nowNanos);
        mostGenerous.refund(permits, chargedAtNanos, nowNanos);
    }

    /** Checks an answer after what was spent has been. */
    void verify(Charge charge, int limit, long permits, boolean spent) {
        verifyRemaining(charge.remaining(limit), charge.epochNanos());
        verifyRetry(charge.retryNanos(limit), permits, charge.epochNanos(), spent);
        if (modelsAgree(charge.epochNanos())) {
            assertThat(charge.growthNanos(limit))
                    .as("growth")
                    .isEqualTo(resolved(strictest.growthNanos(charge.epochNanos())));
        }
        assertThat(charge.resetEpochSeconds(limit))
                .as("reset")
                .isEqualTo(ceilSeconds(charge.epochNanos(), charge.growthNanos(limit)));
    }

    /** Checks what {@link RateLimitStrategy#check} says of it. */
    void verify(long[] out, long permits, boolean spent, long nowNanos) {
        verifyRemaining(out[RateLimitStrategy.REMAINING], nowNanos);
        verifyRetry(out[RateLimitStrategy.RETRY_NANOS], permits, nowNanos, spent);
        if (modelsAgree(nowNanos)) {
            assertThat(out[RateLimitStrategy.RESET])
                    .as("reset")
                    .isEqualTo(ceilSeconds(nowNanos, strictest.growthNanos(nowNanos)));
        }
    }

    /** Whether both models have the same free, and will have more at the same moment. */
    private boolean modelsAgree(long nowNanos) {
        return strictest.free(nowNanos) == mostGenerous.free(nowNanos)
                && strictest.growthNanos(nowNanos) == mostGenerous.growthNanos(nowNanos);
    }

    private void verifyRemaining(long remaining, long nowNanos) {
        assertThat(remaining)
                .as("remaining")
                .isBetween(
                        Math.max(strictest.free(nowNanos), 0),
                        Math.max(mostGenerous.free(nowNanos), 0));
    }

    private void verifyRetry(long retryNanos, long permits, long nowNanos, boolean spent) {
        if (spent) {
            assertThat(retryNanos).as("retry").isZero();
        } else {
            assertThat(retryNanos)
                    .as("retry")
                    .isBetween(
                            resolved(mostGenerous.retryNanos(permits, nowNanos)),
                            resolved(strictest.retryNanos(permits, nowNanos)));
        }
    }

    private long resolved(long nanos) {
        return nanos < 0 ? nanos : -Math.floorDiv(-nanos, resolutionNanos) * resolutionNanos;
    }

    static long ceilSeconds(long nowNanos, long moreNanos) {
        BigInteger sum = BigInteger.valueOf(nowNanos).add(BigInteger.valueOf(moreNanos));
        return new BigDecimal(sum, 9).setScale(0, RoundingMode.CEILING).longValueExact();
    }
}
