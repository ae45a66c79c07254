package dev.ratelimit.spring.expression;

import dev.ratelimit.spring.key.Caller;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** An expression over a call. Whatever it does, the call goes on. */
public final class CallExpression {

    private static final Log LOGGER = LogFactory.getLog(CallExpression.class);

    private final String where;
    private final Expression expression;
    private final StandardEvaluationContext shared;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Makes one.
     *
     * @param shared knows what has been found by reflection before
     */
    CallExpression(String where, Expression expression, StandardEvaluationContext shared) {
        this.where = where;
        this.expression = expression;
        this.shared = shared;
    }

    /**
     * The value for a call.
     *
     * @param type what it should be
     * @return the value; null if it has none of that type, which is warned of once
     */
    public <T> @Nullable T evaluate(Caller caller, Class<T> type) {
        StandardEvaluationContext context = new StandardEvaluationContext(new CallRoot(caller));
        shared.applyDelegatesTo(context);
        context.setBeanResolver(shared.getBeanResolver());
        try {
            context.setVariables(caller.arguments());
            T value = expression.getValue(context, type);
            if (value == null) {
                warnOnce("has no value", null);
            }
            return value;
        } catch (Exception e) {
            warnOnce("failed", e);
            return null;
        }
    }

    /** Warns, the first time, that a value was not used. */
    void warnOnce(String problem, @Nullable Exception cause) {
        if (warned.compareAndSet(false, true)) {
            LOGGER.warn(
                    "RL-EXPRESSION: "
                            + where
                            + ": the expression '"
                            + expression.getExpressionString()
                            + "' "
                            + problem
                            + ". The call is counted as if it were not there. This is logged once.",
                    cause);
        }
    }
}
