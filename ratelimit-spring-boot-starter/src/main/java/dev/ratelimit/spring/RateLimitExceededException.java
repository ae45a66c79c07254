package dev.ratelimit.spring;

import dev.ratelimit.Decision;
import java.io.Serial;
import java.util.List;
import java.util.Objects;

/**
 * A call was refused by a rate limit. It has no stack trace, since it is thrown where many are
 * refused.
 */
public class RateLimitExceededException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final transient Decision decision;
    private final String ruleName;
    private final String[] violatedPolicies;

    /**
     * Makes one.
     *
     * @param decision what the deciding limit answered
     * @param ruleName the rule that the deciding limit belongs to
     * @param violatedPolicies the rules that refused, as clients know them
     */
    public RateLimitExceededException(
            Decision decision, String ruleName, List<String> violatedPolicies) {
        super(null, null, false, false);
        this.decision = Objects.requireNonNull(decision, "decision");
        this.ruleName = ruleName;
        this.violatedPolicies = violatedPolicies.toArray(String[]::new);
    }

    /** Made when it is asked for, since that is seldom. */
    @Override
    public String getMessage() {
        return "Rate limit '" + ruleName + "' exceeded" + (decision == null ? "" : ": " + decision);
    }

    /**
     * Returns what the deciding limit answered.
     *
     * @return a refusal
     */
    public Decision decision() {
        return decision;
    }

    /**
     * Returns the rule that the deciding limit belongs to.
     *
     * @return its name
     */
    public String ruleName() {
        return ruleName;
    }

    /**
     * Returns the rules that refused, by the names under which clients see them in header fields
     * and bodies: an annotation without a name is called {@code default}.
     *
     * @return at least one name
     */
    public List<String> violatedPolicies() {
        return List.of(violatedPolicies);
    }
}
