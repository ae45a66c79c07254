package dev.ratelimit.spring.method;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.Patience;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleCharge;
import dev.ratelimit.spring.rule.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Decides about calls of annotated methods. */
public final class MethodLimiter {

    private final MethodRules rules;
    private final Decider decider;
    private final CurrentCaller caller;
    private final TimeSource timeSource;

    /**
     * Makes one.
     *
     * @param rules finds the rules of a method
     * @param decider decides by them
     * @param caller tells who is calling
     * @param timeSource the clock by which calls wait
     */
    public MethodLimiter(
            MethodRules rules, Decider decider, CurrentCaller caller, TimeSource timeSource) {
        this.rules = rules;
        this.decider = decider;
        this.caller = caller;
        this.timeSource = timeSource;
    }

    /**
     * Makes a call if it is admitted, and else the one that is meant for that case.
     *
     * @return what the call returns; for a reactive type, something that calls when it is
     *     subscribed to
     * @throws RateLimitExceededException if a rule refuses the call
     * @throws Throwable what the call throws
     */
    @Nullable Object invoke(ProxyMethodInvocation invocation) throws Throwable {
        Class<?> proxy = invocation.getProxy().getClass();
        Object target = invocation.getThis();
        LimitedMethod method =
                rules.of(invocation.getMethod(), proxy, target == null ? proxy : target.getClass());
        List<Rule> due = due(method.rules());
        if (due.isEmpty()) {
            return invocation.proceed();
        }
        AdvisedMethod advised = method.advised();
        Verdict asked =
                decider.ask(due, advised.arguments().with(caller.get(), invocation.getArguments()));
        if (asked.isEmpty()) {
            return invocation.proceed();
        }
        ReactiveResult reactive = advised.reactive();
        if (reactive != null) {
            // The demand is taken now, since a subscriber's thread may know nothing of the caller.
            return reactive.of(
                    () ->
                            decide(
                                    method,
                                    asked.again(),
                                    (ProxyMethodInvocation) invocation.invocableClone()));
        }
        return decide(method, asked, invocation);
    }

    private @Nullable Object decide(
            LimitedMethod method, Verdict asked, ProxyMethodInvocation invocation)
            throws Throwable {
        MaxWait wait = method.waits() ? new MaxWait(method, timeSource) : null;
        Verdict verdict = decider.decide(asked, wait == null ? Patience.NONE : wait);
        caller.decided(verdict);
        if (verdict.allowed()) {
            return invocation.proceed();
        }
        if (wait != null && wait.interruption() != null) {
            if (method.advised().interruptible()) {
                throw wait.interruption();
            }
            Thread.currentThread().interrupt();
        }
        RateLimitExceededException refusal = verdict.toException();
        RuleCharge deciding = verdict.deciding();
        Fallback fallback = deciding == null ? null : method.onRefusal(deciding.rule()).fallback();
        if (fallback == null) {
            throw refusal;
        }
        return fallback.call(
                invocation.getThis(), invocation.getProxy(), invocation.getArguments(), refusal);
    }

    /** The rules that have not charged the request yet that led to this call. */
    private List<Rule> due(List<Rule> rules) {
        List<Rule> due = rules;
        for (Rule rule : rules) {
            if (caller.isCharged(rule)) {
                due = due == rules ? new ArrayList<>(rules) : due;
                due.remove(rule);
            }
        }
        return due;
    }
}
