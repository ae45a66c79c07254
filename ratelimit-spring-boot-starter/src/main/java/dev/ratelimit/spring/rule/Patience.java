package dev.ratelimit.spring.rule;

/** What a call does that was refused: it gives up, or waits and asks again. */
@FunctionalInterface
public interface Patience {

    /** Gives up at once. */
    Patience NONE = refused -> false;

    /**
     * Waits until it is worth asking again.
     *
     * @param refused what was said last
     * @return false to give up
     */
    boolean waitAfter(Verdict refused);
}
