package dev.ratelimit.spring.rule;

import dev.ratelimit.Charge;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.Key;
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
    private final Set<Rule> failedRules = ConcurrentHashMap.newKeySet();

    /**
     * Makes a decider.
     *
     * @param store where the buckets of all rules are
     * @param enabled false to admit everything
     */
    public Decider(RateLimitStore store, boolean enabled) {
        this.store = store;
        this.enabled = enabled;
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
        if (!enabled || rules.isEmpty()) {
            return Verdict.NONE;
        }
        try {
            RuleCharge[] charges = new RuleCharge[rules.size()];
            Charge[] demands = new Charge[charges.length];
            int count = 0;
            for (Rule rule : rules) {
                Key key = rule.key().resolve(caller);
                Charge charge = rule.charge(key);
                charges[count] = new RuleCharge(rule, key, charge);
                demands[count] = charge;
                count++;
            }
            store.acquire(List.of(demands));
            Verdict verdict = new Verdict(List.of(charges));
            count(verdict);
            return verdict;
        } catch (RuntimeException e) {
            rules.forEach(rule -> countFailure(rule, e));
            return Verdict.NONE;
        }
    }

    private static void count(Verdict verdict) {
        boolean allowed = verdict.allowed();
        for (RuleCharge charge : verdict.charges()) {
            if (allowed) {
                charge.rule().countAllowed(charge.key());
            } else if (!charge.charge().allowed()) {
                charge.rule().countRejected(charge.key());
            }
        }
    }

    private void countFailure(Rule rule, RuntimeException e) {
        rule.counters().countStoreFailure();
        if (failedRules.add(rule)) {
            LOGGER.warn(
                    "RL-UNDECIDED: Rate limit '"
                            + rule.name()
                            + "' could not be decided and lets calls pass; this is logged once",
                    e);
        }
    }

    public boolean enabled() {
        return enabled;
    }
}
