package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Decides on calls while the store does not answer, each rule as it says. */
final class StoreFailures {

    /** How long to wait where nobody knows. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RateLimitStore store;
    private final OnFailure byDefault;

    StoreFailures(RateLimitStore store, OnFailure byDefault) {
        this.store = store;
        this.byDefault = byDefault;
    }

    /**
     * Decides in place of the store on what it has not answered. Where it has, that counts: if it
     * refuses, so is the call. Else, if a rule says deny, the call is refused and nothing is spent;
     * else the rules that say local decide together.
     */
    Verdict decide(Verdict asked) {
        List<RuleCharge> answered = new ArrayList<>();
        List<RuleCharge> denied = new ArrayList<>();
        List<RuleCharge> local = new ArrayList<>();
        for (RuleCharge charge : asked.charges()) {
            if (charge.charge().isAnswered()) {
                answered.add(charge);
            } else {
                switch (OnFailure.of(charge.rule(), byDefault)) {
                    case DENY -> denied.add(refused(charge));
                    case LOCAL -> local.add(standIn(charge));
                    case ALLOW -> {}
                }
            }
        }
        Verdict byStore =
                new Verdict(answered, asked.shadowCharges(), asked.exempting(), asked.undecided());
        if (!byStore.allowed()) {
            return byStore;
        }
        if (denied.isEmpty() && (local.isEmpty() || acquireLocally(local))) {
            return byStore.and(new Verdict(local));
        }
        giveBack(answered);
        return new Verdict(denied.isEmpty() ? local : denied);
    }

    private boolean acquireLocally(List<RuleCharge> charges) {
        return store.standIn().acquire(charges.stream().map(RuleCharge::charge).toList());
    }

    /** What the store does not take back stays spent, which is too strict for a while only. */
    private static void giveBack(List<RuleCharge> spent) {
        for (RuleCharge charge : spent) {
            try {
                charge.charge().limits().refund(charge.charge());
            } catch (StoreUnavailableException e) {
                // Nor does it matter to the call, which is refused either way.
            }
        }
    }

    /** Asks a rule that only watches; without an answer there is nothing to see. */
    List<RuleCharge> watch(List<RuleCharge> asked) {
        List<RuleCharge> answered = new ArrayList<>(asked.size());
        for (RuleCharge charge : asked) {
            RuleCharge shadow = charge;
            try {
                shadow.charge().limits().acquire(shadow.charge());
            } catch (StoreUnavailableException e) {
                charge.rule().counters().count(Outcome.STORE_FAILURE);
                if (OnFailure.of(charge.rule(), byDefault) != OnFailure.LOCAL) {
                    continue;
                }
                shadow = standIn(charge);
                shadow.charge().limits().acquire(shadow.charge());
            }
            answered.add(shadow);
        }
        return answered;
    }

    private static RuleCharge standIn(RuleCharge asked) {
        Charge charge = asked.charge();
        return new RuleCharge(
                asked.rule(),
                asked.key(),
                new Charge(charge.limits().standIn(), charge.key(), charge.permits()));
    }

    private static RuleCharge refused(RuleCharge asked) {
        Charge charge = asked.charge();
        Charge refused = refused(charge.limits(), asked.key(), charge.permits());
        return new RuleCharge(asked.rule(), asked.key(), refused, true);
    }

    /** A refusal by nobody, and for a moment only. */
    static Charge refused(KeyedLimits limits, Key key, long permits) {
        return answered(limits, key, permits, RETRY_NANOS);
    }

    /** An admission by nobody, which has spent nothing that could be given back. */
    static Charge admitted(KeyedLimits limits, Key key, long permits) {
        return answered(limits, key, permits, 0);
    }

    private static Charge answered(KeyedLimits limits, Key key, long permits, long retryNanos) {
        Charge charge = new Charge(limits.standIn(), key, permits);
        long nowNanos = TimeSource.system().epochNanos();
        long resetEpochSeconds = TimeUnit.NANOSECONDS.toSeconds(nowNanos) + 1;
        for (int i = 0; i < charge.configured().size(); i++) {
            charge.answer(i, 0, retryNanos, retryNanos, resetEpochSeconds);
        }
        charge.answered(nowNanos);
        return charge;
    }
}
