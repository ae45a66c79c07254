package dev.ratelimit.spring.expression;

import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.KeyValue;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Permits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** Reads expressions at start, so that one that is none stops it. */
public final class Expressions {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private static final BigDecimal MOST_PERMITS = BigDecimal.valueOf(Long.MAX_VALUE);

    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    /**
     * Makes this.
     *
     * @param beans what expressions can name with {@code @}
     */
    public Expressions(BeanFactory beans) {
        shared.setBeanResolver(new BeanFactoryResolver(beans));
    }

    /**
     * Reads an expression.
     *
     * @param where the property or attribute, for messages
     * @param text the expression
     * @param variables what it can name with {@code #}
     * @throws InvalidRuleException if it is none, or names what is not there
     */
    public CallExpression parse(String where, String text, Set<String> variables) {
        SpelExpression expression = read(where, text);
        String problem = new ExpressionChecks(variables).problem(expression.getAST());
        if (problem != null) {
            throw invalid(where, text, problem);
        }
        return new CallExpression(where, expression, shared);
    }

    private static SpelExpression read(String where, String text) {
        try {
            return PARSER.parseRaw(text.strip());
        } catch (ParseException | IllegalStateException e) {
            throw invalid(where, text, String.valueOf(e.getMessage()));
        }
    }

    private static InvalidRuleException invalid(String where, String text, String problem) {
        return new InvalidRuleException(
                where,
                "'" + text + "' is not an expression that works: " + problem + ".",
                "Write it in the Spring Expression Language, over request, principal and ip; in an"
                        + " annotation also over the arguments, as in #id.");
    }

    /**
     * Finds out what an expression names with {@code #}.
     *
     * @param where the property or attribute, for messages
     * @param text the expression
     * @return the names, without {@code #root} and {@code #this}
     * @throws InvalidRuleException if it is none
     */
    public static Set<String> variables(String where, String text) {
        return ExpressionChecks.variables(read(where, text).getAST());
    }

    /**
     * Reads a part of a key.
     *
     * @param where the attribute, for messages
     * @param text an expression
     * @param variables what it can name with {@code #}
     * @return finds its value as text; null where it has none, or none that stays the same
     * @throws InvalidRuleException if it is none, or names what is not there
     */
    public KeyValue key(String where, String text, Set<String> variables) {
        CallExpression expression = parse(where, text, variables);
        return caller -> KeyText.of(expression, caller);
    }

    /** Reads what a call costs, by an expression that can name nothing with {@code #}. */
    public Permits permits(String where, String text) {
        return permits(where, text, Set.of());
    }

    /**
     * Reads what a call costs. A fraction is rounded up; what is not a number, or negative, is 1.
     *
     * @param where the property or attribute, for messages
     * @param text an expression
     * @param variables what it can name with {@code #}
     * @throws InvalidRuleException if it is none, or names what is not there
     */
    public Permits permits(String where, String text, Set<String> variables) {
        CallExpression expression = parse(where, text, variables);
        return Permits.computed(caller -> permits(expression, caller));
    }

    private static long permits(CallExpression expression, Caller caller) {
        BigDecimal value = expression.evaluate(caller, BigDecimal.class);
        if (value == null) {
            return 1;
        }
        if (value.signum() < 0) {
            expression.warnOnce("is negative", null);
            return 1;
        }
        return value.min(MOST_PERMITS).setScale(0, RoundingMode.CEILING).longValueExact();
    }

    /**
     * Reads a condition.
     *
     * @param where the property, for messages
     * @param text an expression
     * @return whether its value is that; false for a call for which it has no value
     * @throws InvalidRuleException if it is not an expression
     */
    public Predicate<Caller> condition(String where, String text, boolean value) {
        CallExpression expression = parse(where, text, Set.of());
        Boolean expected = value;
        return caller -> expected.equals(expression.evaluate(caller, Boolean.class));
    }
}
