package dev.ratelimit.spring.web;

import dev.ratelimit.Charge;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.spring.rule.PolicyNames;
import dev.ratelimit.spring.rule.RuleCharge;
import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletResponse;
import java.math.BigInteger;
import java.util.List;

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11, with every limit: structured lists of
 * strings with parameters (RFC 9651). The characters that names can have need no escape in them.
 */
public final class Draft11HeaderFields implements HeaderFields {

    private static final String POLICY = "RateLimit-Policy";
    private static final String LIMIT = "RateLimit";
    private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);

    /** The largest integer that a structured field can have. */
    private static final BigInteger LARGEST = BigInteger.valueOf(999_999_999_999_999L);

    @Override
    public List<String> names() {
        return List.of(POLICY, LIMIT);
    }

    @Override
    public void set(HttpServletResponse response, Verdict verdict) {
        PolicyNames names = PolicyNames.of(verdict);
        StringBuilder policies = new StringBuilder();
        StringBuilder limits = new StringBuilder();
        for (RuleCharge ruleCharge : verdict.charges()) {
            Charge charge = ruleCharge.charge();
            for (int i = 0; i < charge.configured().size(); i++) {
                String name = names.of(ruleCharge.rule(), i);
                LimitConfig config = charge.configured().get(i).config();
                startItem(policies, name);
                policies.append(";q=").append(config.burst());
                policies.append(";w=").append(secondsToEarnCapacity(config));
                startItem(limits, name);
                limits.append(";r=").append(charge.remaining(i));
                long growthNanos = charge.growthNanos(i);
                if (growthNanos > 0) {
                    limits.append(";t=").append(Seconds.roundUp(growthNanos));
                }
            }
        }
        response.setHeader(POLICY, policies.toString());
        response.setHeader(LIMIT, limits.toString());
    }

    private static void startItem(StringBuilder list, String name) {
        if (!list.isEmpty()) {
            list.append(", ");
        }
        list.append('"').append(name).append('"');
    }

    private static long secondsToEarnCapacity(LimitConfig config) {
        if (config.burst() == config.requests()) {
            return Seconds.roundUp(config.windowNanos());
        }
        BigInteger nanosTimesRequests =
                BigInteger.valueOf(config.burst())
                        .multiply(BigInteger.valueOf(config.windowNanos()));
        BigInteger divisor = NANOS_PER_SECOND.multiply(BigInteger.valueOf(config.requests()));
        BigInteger roundedUp =
                nanosTimesRequests.add(divisor).subtract(BigInteger.ONE).divide(divisor);
        return roundedUp.min(LARGEST).longValueExact();
    }
}
