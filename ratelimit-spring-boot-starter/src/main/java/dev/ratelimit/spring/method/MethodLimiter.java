package dev.ratelimit.spring.method;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Verdict;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Decides about calls of annotated methods. */
public final class MethodLimiter {

    private final MethodRules rules;
    private final Decider decider;
    private final CurrentCaller caller;

    /**
     * Makes one.
     *
     * @param rules finds the rules of a method
     * @param decider decides by them
     * @param caller tells who is calling
     */
    public MethodLimiter(MethodRules rules, Decider decider, CurrentCaller caller) {
        this.rules = rules;
        this.decider = decider;
        this.caller = caller;
    }

    /**
     * Spends what a call costs.
     *
     * @throws RateLimitExceededException if a rule refuses the call
     */
    void acquire(Method method, Class<?> proxy, Class<?> target) {
        List<Rule> due = due(rules.of(method, proxy, target));
        if (due.isEmpty()) {
            return;
        }
        Verdict verdict = decider.decide(due, caller.get());
        caller.decided(verdict);
        if (!verdict.allowed()) {
            throw verdict.toException();
        }
    }

    /** The rules that have not charged the request yet that led to this call. */
    private List<Rule> due(List<Rule> rules) {
        List<Rule> due = new ArrayList<>(rules.size());
        for (Rule rule : rules) {
            if (!caller.isCharged(rule)) {
                due.add(rule);
            }
        }
        return due;
    }
}
