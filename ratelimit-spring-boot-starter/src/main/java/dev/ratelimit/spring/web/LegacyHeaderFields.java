package dev.ratelimit.spring.web;

import dev.ratelimit.Charge;
import dev.ratelimit.spring.rule.RuleCharge;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;

/** The fields that many services have, of the deciding limit. */
public final class LegacyHeaderFields implements HeaderFields {

    private static final String LIMIT = "X-RateLimit-Limit";
    private static final String REMAINING = "X-RateLimit-Remaining";
    private static final String RESET = "X-RateLimit-Reset";

    @Override
    public List<String> names() {
        return List.of(LIMIT, REMAINING, RESET);
    }

    @Override
    public void set(HttpServletResponse response, Verdict verdict) {
        RuleCharge deciding = verdict.deciding();
        if (deciding == null) {
            return;
        }
        Charge charge = deciding.charge();
        int limit = charge.deciding();
        long capacity = charge.configured().get(limit).config().burst();
        response.setHeader(LIMIT, Long.toString(capacity));
        response.setHeader(REMAINING, Long.toString(charge.remaining(limit)));
        response.setHeader(RESET, Long.toString(charge.resetEpochSeconds(limit)));
    }
}
