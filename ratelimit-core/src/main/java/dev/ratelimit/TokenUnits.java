package dev.ratelimit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * The time unit in which a token bucket counts, chosen so that one permit is a whole number of
 * units.
 *
 * <p>A permit takes W/N nanoseconds to earn, p/q permits a nanosecond in lowest terms. In units of
 * 1/p ns a permit is exactly q units, so nothing is ever rounded. Where those units would be too
 * fine for the time that the bucket takes to fill, the unit is a power of two of a nanosecond, the
 * finest that fits, and a permit is rounded up, against the client, by less than 2⁻²⁷ of itself.
 *
 * <p>A time in these units is known modulo 2⁶³ (see {@link WordStrategy} for how a bucket tells
 * apart times that look the same): an era is at most 2⁶⁰ units and lasts at least as long as the
 * bucket takes to fill.
 */
final class TokenUnits {

    private static final int ERA_BITS = 60;

    /** Units per nanosecond; 1 where a unit is longer than that. */
    private final long unitsPerNano;

    /** A unit is this power of two of a nanosecond; 0 where it is shorter. */
    private final int unitShift;

    /** An era is this power of two of a nanosecond. */
    private final int eraShift;

    /** What one permit costs, in units. */
    final long perPermit;

    /** What a full bucket holds, in units: at most 2⁶⁰. */
    final long capacity;

    private TokenUnits(
            long unitsPerNano, int unitShift, int eraShift, long perPermit, long capacity) {
        this.unitsPerNano = unitsPerNano;
        this.unitShift = unitShift;
        this.eraShift = eraShift;
        this.perPermit = perPermit;
        this.capacity = capacity;
    }

    static TokenUnits of(long requests, long windowNanos, long burst) {
        long gcd =
                BigInteger.valueOf(requests).gcd(BigInteger.valueOf(windowNanos)).longValueExact();
        long p = requests / gcd;
        long q = windowNanos / gcd;
        int eraShift = ERA_BITS - ceilLog2(BigInteger.valueOf(p));
        BigInteger capacity = BigInteger.valueOf(burst).multiply(BigInteger.valueOf(q));
        if (capacity.compareTo(BigInteger.valueOf(p).shiftLeft(eraShift)) <= 0) {
            return new TokenUnits(p, 0, eraShift, q, capacity.longValueExact());
        }
        return rounded(requests, windowNanos, burst);
    }

    private static TokenUnits rounded(long requests, long windowNanos, long burst) {
        BigInteger n = BigInteger.valueOf(requests);
        BigInteger fillNanos =
                ceilDiv(BigInteger.valueOf(burst).multiply(BigInteger.valueOf(windowNanos)), n);
        int eraShift = ceilLog2(fillNanos) + 1;
        if (eraShift <= ERA_BITS) {
            int scaleShift = ERA_BITS - eraShift;
            long perPermit =
                    ceilDiv(BigInteger.valueOf(windowNanos).shiftLeft(scaleShift), n)
                            .longValueExact();
            return new TokenUnits(1L << scaleShift, 0, eraShift, perPermit, burst * perPermit);
        }
        int unitShift = eraShift - ERA_BITS;
        // One unit more, since the current time is rounded down to a unit when a permit is spent.
        long perPermit =
                ceilDiv(BigInteger.valueOf(windowNanos), n.shiftLeft(unitShift)).longValueExact()
                        + 1;
        return new TokenUnits(1, unitShift, Long.SIZE - 1, perPermit, burst * perPermit);
    }

    private static BigInteger ceilDiv(BigInteger dividend, BigInteger divisor) {
        return new BigDecimal(dividend)
                .divide(new BigDecimal(divisor), 0, RoundingMode.CEILING)
                .toBigIntegerExact();
    }

    private static int ceilLog2(BigInteger value) {
        return value.subtract(BigInteger.ONE).bitLength();
    }

    /** The time in units, modulo 2⁶⁴, rounded down. */
    long units(long nanos) {
        return (nanos >> unitShift) * unitsPerNano;
    }

    /** How many whole permits so many units are; none if they are less than 0. */
    long permits(long units) {
        return units < perPermit ? 0 : perPermit == 1 ? units : units / perPermit;
    }

    /** How many nanoseconds after {@code nowNanos} so many more units have passed, rounded up. */
    long nanosUntil(long units, long nowNanos) {
        if (unitShift == 0) {
            return unitsPerNano == 1 ? units : (units + unitsPerNano - 1) / unitsPerNano;
        }
        long soFarNanos = nowNanos & ((1L << unitShift) - 1);
        return units > Long.MAX_VALUE >> unitShift
                ? Long.MAX_VALUE
                : (units << unitShift) - soFarNanos;
    }

    /**
     * How many units, rounded up, hold as many permits here as {@code units} of {@code from} do.
     */
    long convert(long units, TokenUnits from) {
        BigInteger permits = BigInteger.valueOf(units).multiply(BigInteger.valueOf(perPermit));
        return ceilDiv(permits, BigInteger.valueOf(from.perPermit))
                .min(BigInteger.valueOf(capacity))
                .longValueExact();
    }

    long era(long nanos) {
        return nanos >> eraShift;
    }

    long eraStartNanos(long era) {
        return era << eraShift;
    }
}
