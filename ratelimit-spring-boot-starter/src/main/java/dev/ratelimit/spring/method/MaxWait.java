package dev.ratelimit.spring.method;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.rule.Patience;
import dev.ratelimit.spring.rule.RuleCharge;
import dev.ratelimit.spring.rule.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Lets one call wait for its permits, for those of each rule as long as its annotation says. It
 * sleeps exactly until all that refused would admit it, and holds nothing meanwhile.
 */
final class MaxWait implements Patience {

    private final LimitedMethod method;
    private final TimeSource timeSource;
    private long startNanos = -1;
    private @Nullable InterruptedException interruption;

    MaxWait(LimitedMethod method, TimeSource timeSource) {
        this.method = method;
        this.timeSource = timeSource;
    }

    @Override
    public boolean waitAfter(Verdict refused) {
        // Not the time of the answer, which may be that of another machine.
        long nowNanos = timeSource.epochNanos();
        if (startNanos < 0) {
            startNanos = nowNanos;
        }
        long waitNanos = 0;
        for (RuleCharge charge : refused.charges()) {
            if (!charge.charge().allowed()) {
                long retryNanos = charge.charge().retryNanos(charge.charge().deciding());
                long restNanos =
                        method.onRefusal(charge.rule()).maxWaitNanos() - (nowNanos - startNanos);
                if (retryNanos < 0 || retryNanos > restNanos) {
                    return false;
                }
                waitNanos = Math.max(waitNanos, retryNanos);
            }
        }
        try {
            timeSource.sleepUntil(nowNanos + waitNanos);
            return true;
        } catch (InterruptedException e) {
            interruption = e;
            return false;
        }
    }

    /** What ended the wait early; null if nothing did. */
    @Nullable InterruptedException interruption() {
        return interruption;
    }
}
