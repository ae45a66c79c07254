package dev.ratelimit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps buckets in the memory of this process. */
public final class InMemoryStore implements RateLimitStore {

    private final TimeSource timeSource;

    /**
     * Makes a store.
     *
     * @param timeSource the time for all decisions
     */
    public InMemoryStore(TimeSource timeSource) {
        this.timeSource = timeSource;
    }

    @Override
    public String name() {
        return "in-memory";
    }

    @Override
    public KeyedLimits open(String rule, List<Limit> limits, long maxKeys) {
        InMemoryLimits opened = new InMemoryLimits(rule, limits, maxKeys, timeSource);
        Sweeper.add(opened, Sweeper.PERIOD_NANOS);
        return opened;
    }

    @Override
    public boolean acquire(List<Charge> charges) {
        if (charges.size() == 1) {
            return limits(charges.get(0)).acquire(charges.get(0));
        }
        boolean again = true;
        for (; ; ) {
            for (Charge charge : charges) {
                limits(charge).findBucket(charge);
            }
            // After the buckets are found: in a bucket that came later, this time would be too
            // early.
            long nowNanos = timeSource.epochNanos();
            try {
                if (acquire(charges, nowNanos)) {
                    return true;
                }
            } catch (RetiredBucketException e) {
                charges.forEach(charge -> limits(charge).removeRetired(charge));
                continue;
            }
            if (!again || !InMemoryLimits.hasPassed(timeSource, nowNanos, waitNanos(charges))) {
                return false;
            }
            again = false;
        }
    }

    private static boolean acquire(List<Charge> charges, long nowNanos) {
        int spent = 0;
        try {
            if (!admits(charges, nowNanos) && refuse(charges, null, nowNanos)) {
                return false;
            }
            while (limits(charges.get(spent)).spend(charges.get(spent), nowNanos)) {
                spent++;
                if (spent == charges.size()) {
                    return true;
                }
            }
            Charge refused = charges.get(spent);
            refund(charges, spent);
            spent = 0;
            refuse(charges, refused, nowNanos);
            return false;
        } catch (RetiredBucketException e) {
            refund(charges, spent);
            throw e;
        }
    }

    /** How long it takes until all would be admitted. */
    private static long waitNanos(List<Charge> charges) {
        Charge strictest = charges.get(0);
        for (Charge charge : charges) {
            if (charge.compareStrictness(strictest) > 0) {
                strictest = charge;
            }
        }
        return strictest.retryNanos(strictest.deciding());
    }

    private static boolean admits(List<Charge> charges, long nowNanos) {
        for (Charge charge : charges) {
            if (!limits(charge).admits(charge, nowNanos)) {
                return false;
            }
        }
        return true;
    }

    private static void refund(List<Charge> charges, int spent) {
        for (int i = spent - 1; i >= 0; i--) {
            charges.get(i).limits().refund(charges.get(i));
        }
    }

    /** Answers all charges but one that has its answer; false if none of them is refused. */
    private static boolean refuse(List<Charge> charges, @Nullable Charge answered, long nowNanos) {
        boolean refused = false;
        for (Charge charge : charges) {
            if (charge != answered) {
                refused |= limits(charge).refuse(charge, nowNanos);
            }
        }
        return refused;
    }

    private static InMemoryLimits limits(Charge charge) {
        return (InMemoryLimits) charge.limits();
    }

    /** Does nothing: each rule's limits are closed by themselves. */
    @Override
    public void close() {}
}
