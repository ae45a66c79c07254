package dev.ratelimit.spring.rule;

import java.util.concurrent.atomic.LongAdder;

/** How often a rule decided what. */
public final class RuleCounters {

    private final LongAdder allowed = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder shadowRejected = new LongAdder();
    private final LongAdder exempt = new LongAdder();
    private final LongAdder storeFailures = new LongAdder();

    public void countAllowed() {
        allowed.increment();
    }

    public void countRejected() {
        rejected.increment();
    }

    public void countShadowRejected() {
        shadowRejected.increment();
    }

    public void countExempt() {
        exempt.increment();
    }

    public void countStoreFailure() {
        storeFailures.increment();
    }

    public long allowed() {
        return allowed.sum();
    }

    public long rejected() {
        return rejected.sum();
    }

    /** How often a rule that only watches would have rejected a call. */
    public long shadowRejected() {
        return shadowRejected.sum();
    }

    /** How often a call was not to be counted. */
    public long exempt() {
        return exempt.sum();
    }

    public long storeFailures() {
        return storeFailures.sum();
    }
}
