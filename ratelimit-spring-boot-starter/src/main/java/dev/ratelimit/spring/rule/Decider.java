package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.spring.key.Caller;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Lets all rules that apply to a call decide together, and counts what they said. */
public final class Decider {

    private static final Log LOGGER = LogFactory.getLog(Decider.class);

    private final RateLimitStore store;
    private final boolean enabled;
    private final StoreFailures storeFailures;
    private final Set<Rule> failedRules = ConcurrentHashMap.newKeySet();

    /**
     * Makes a decider.
     *
     * @param store where the buckets of all rules are
     * @param enabled false to admit everything
     * @param onFailure what becomes of calls while the store does not answer, where a rule does not
     *     say
     */
    public Decider(RateLimitStore store, boolean enabled, OnFailure onFailure) {
        this.store = store;
        this.enabled = enabled;
        this.storeFailures = new StoreFailures(store, onFailure);
    }

    /**
     * Spends from every rule, or from none. A failure of a rule's own code or of the store admits
     * the call.
     *
     * @param rules the rules that apply
     * @param caller who is calling
     * @return what they said
     */
    public Verdict decide(Collection<Rule> rules, Caller caller) {
        return decide(ask(rules, caller), Patience.NONE);
    }

    /**
     * Finds out what a call demands of each rule: who is counted, and what it costs. Nothing is
     * spent yet. A failure of a rule's own code admits the call.
     *
     * @param rules the rules that apply
     * @param caller who is calling
     * @return demands without answers
     */
    public Verdict ask(Collection<Rule> rules, Caller caller) {
        if (!enabled || rules.isEmpty()) {
            return Verdict.NONE;
        }
        try {
            List<RuleCharge> charges = new ArrayList<>(rules.size());
            List<RuleCharge> shadowCharges = List.of();
            List<Rule> exempting = List.of();
            for (Rule rule : rules) {
                if (rule.isMode(RuleMode.OFF)) {
                    continue;
                }
                long permits = rule.permits(caller);
                if (permits == 0) {
                    exempting = with(exempting, rule);
                } else if (rule.isMode(RuleMode.SHADOW)) {
                    shadowCharges = with(shadowCharges, rule.charge(rule.keyOf(caller), permits));
                } else {
                    charges.add(rule.charge(rule.keyOf(caller), permits));
                }
            }
            return new Verdict(charges, shadowCharges, exempting, List.of());
        } catch (RuntimeException e) {
            rules.forEach(rule -> countFailure(rule, e));
            return Verdict.NONE;
        }
    }

    /**
     * Spends from every rule, or from none. However often a call asks until it is admitted or gives
     * up, it is counted once. A failure of the store admits the call.
     *
     * @param asked what the call demands, not answered before
     * @param patience what to do about a refusal
     * @return what the rules said last
     */
    public Verdict decide(Verdict asked, Patience patience) {
        try {
            Verdict demanded = asked;
            Verdict verdict = answer(demanded);
            while (!verdict.allowed() && patience.waitAfter(verdict)) {
                demanded = asked.again();
                verdict = answer(demanded);
            }
            countUnanswered(demanded.charges());
            return counted(verdict.withUndecided(demanded));
        } catch (RuntimeException e) {
            asked.rules().forEach(rule -> countFailure(rule, e));
            return Verdict.NONE.withUndecided(asked);
        }
    }

    private static <T> List<T> with(List<T> list, T more) {
        List<T> longer = list.isEmpty() ? new ArrayList<>() : list;
        longer.add(more);
        return longer;
    }

    private Verdict answer(Verdict asked) {
        Verdict verdict = asked;
        try {
            acquire(asked.charges());
        } catch (StoreUnavailableException e) {
            verdict = storeFailures.decide(asked);
        }
        List<RuleCharge> shadows = verdict.shadowCharges();
        // A rule that only watches must not be what another one spends or refunds for.
        return shadows.isEmpty() || !verdict.allowed()
                ? verdict
                : new Verdict(
                        verdict.charges(),
                        storeFailures.watch(shadows),
                        verdict.exempting(),
                        verdict.undecided());
    }

    private void acquire(List<RuleCharge> charges) {
        if (charges.size() == 1) {
            store.acquire(List.of(charges.get(0).charge()));
        } else if (!charges.isEmpty()) {
            Charge[] demands = new Charge[charges.size()];
            for (int i = 0; i < demands.length; i++) {
                demands[i] = charges.get(i).charge();
            }
            store.acquire(List.of(demands));
        }
    }

    private static void countUnanswered(List<RuleCharge> charges) {
        for (int i = 0; i < charges.size(); i++) {
            if (!charges.get(i).charge().isAnswered()) {
                charges.get(i).rule().counters().count(Outcome.STORE_FAILURE);
            }
        }
    }

    /** Counts a verdict; of a refusal, only who refused. */
    private static Verdict counted(Verdict verdict) {
        if (!verdict.allowed()) {
            for (RuleCharge charge : verdict.charges()) {
                if (!charge.charge().allowed() && !charge.unavailable()) {
                    countRejected(charge);
                }
            }
            return verdict.withoutOthers();
        }
        for (RuleCharge charge : verdict.charges()) {
            charge.rule().countAllowed(charge.key());
        }
        for (RuleCharge shadow : verdict.shadowCharges()) {
            if (shadow.charge().allowed()) {
                shadow.rule().countAllowed(shadow.key());
            } else {
                countRejected(shadow);
            }
        }
        for (Rule exempting : verdict.exempting()) {
            exempting.counters().count(Outcome.EXEMPT);
        }
        return verdict;
    }

    private static void countRejected(RuleCharge charge) {
        charge.rule().countRejected(charge.key());
        if (LOGGER.isDebugEnabled()) {
            Rule rule = charge.rule();
            LOGGER.debug(
                    "Rate limit '"
                            + rule.name()
                            + (rule.isMode(RuleMode.SHADOW) ? "' would reject " : "' rejects ")
                            + charge.key().id()
                            + ": "
                            + charge.charge().decision());
        }
    }

    private void countFailure(Rule rule, RuntimeException e) {
        rule.counters().count(Outcome.STORE_FAILURE);
        if (failedRules.add(rule)) {
            LOGGER.warn(
                    "RL-UNDECIDED: Rate limit '"
                            + rule.name()
                            + "' could not be decided and lets calls pass; this is logged once",
                    e);
        }
    }

    /** Gives back what was spent for a call that turned out not to count. */
    public void refund(List<RuleCharge> charges) {
        for (RuleCharge charge : charges) {
            try {
                charge.charge().limits().refund(charge.charge());
            } catch (RuntimeException e) {
                if (failedRules.add(charge.rule())) {
                    LOGGER.warn(
                            "RL-NOT-REFUNDED: Rate limit '"
                                    + charge.rule().name()
                                    + "' counts a call that was not to count; this is logged once",
                            e);
                }
            }
        }
    }

    public boolean enabled() {
        return enabled;
    }
}
