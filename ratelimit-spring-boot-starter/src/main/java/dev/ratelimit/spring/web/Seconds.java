package dev.ratelimit.spring.web;

/** Whole seconds, as HTTP has them. */
final class Seconds {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private Seconds() {}

    /** The whole seconds that are enough, of nanoseconds that are not negative. */
    static long roundUp(long nanos) {
        return nanos / NANOS_PER_SECOND + (nanos % NANOS_PER_SECOND == 0 ? 0 : 1);
    }
}
