package dev.ratelimit.conformance;

import dev.ratelimit.Charge;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Which limit of several decides, as it is documented. */
final class DecidingLimit {

    private DecidingLimit() {}

    static int of(Charge charge) {
        boolean refused =
                IntStream.range(0, charge.configured().size())
                        .anyMatch(limit -> charge.retryNanos(limit) != 0);
        Comparator<Integer> strictestFirst =
                refused
                        ? Comparator.comparing((Integer limit) -> wait(charge, limit)).reversed()
                        : Comparator.comparing(limit -> share(charge, limit));
        Comparator<Integer> laterResetFirst =
                Comparator.comparing(charge::resetEpochSeconds, Comparator.reverseOrder());
        return IntStream.range(0, charge.configured().size())
                .boxed()
                .min(strictestFirst.thenComparing(laterResetFirst))
                .orElseThrow();
    }

    /** Never is the longest wait. */
    private static double wait(Charge charge, int limit) {
        long nanos = charge.retryNanos(limit);
        return nanos < 0 ? Double.POSITIVE_INFINITY : nanos;
    }

    /** How much of its capacity is left; two different shares differ by 10⁻¹⁸ at least. */
    private static BigDecimal share(Charge charge, int limit) {
        return BigDecimal.valueOf(charge.remaining(limit))
                .divide(
                        BigDecimal.valueOf(charge.configured().get(limit).config().burst()),
                        MathContext.DECIMAL128);
    }
}
