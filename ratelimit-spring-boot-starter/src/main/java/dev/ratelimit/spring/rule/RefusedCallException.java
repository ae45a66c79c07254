package dev.ratelimit.spring.rule;

import dev.ratelimit.Decision;
import dev.ratelimit.spring.RateLimitExceededException;
import java.io.Serial;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the whole verdict to where the response is written, also from a thread that knows of no
 * request. Applications see a {@link RateLimitExceededException}.
 */
public final class RefusedCallException extends RateLimitExceededException {

    @Serial private static final long serialVersionUID = 1L;

    private final transient Verdict verdict;

    RefusedCallException(
            Decision decision, String ruleName, List<String> violatedPolicies, Verdict verdict) {
        super(decision, ruleName, violatedPolicies);
        this.verdict = verdict;
    }

    /** Of a refusal by nobody, since the store did not answer, says so. */
    @Override
    public String getMessage() {
        return verdict != null && verdict.unavailable()
                ? "Rate limit '"
                        + ruleName()
                        + "' could not be decided: the store does not answer, and on-failure is deny"
                : super.getMessage();
    }

    /** What was decided; null after a journey to another process. */
    public @Nullable Verdict verdict() {
        return verdict;
    }
}
