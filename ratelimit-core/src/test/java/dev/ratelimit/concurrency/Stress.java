package dev.ratelimit.concurrency;

/** How long the tests of this package run. */
final class Stress {

    private static final boolean LONG = "long".equals(System.getProperty("ratelimit.stress"));

    private Stress() {}

    static int times(int shortRun, int longRun) {
        return LONG ? longRun : shortRun;
    }
}
