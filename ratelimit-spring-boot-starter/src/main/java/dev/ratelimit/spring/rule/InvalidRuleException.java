package dev.ratelimit.spring.rule;

import java.io.Serial;

/**
 * A rule that cannot work, or a property that no rule can work with. It stops the start; the
 * message is for the person who wrote it.
 */
public class InvalidRuleException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final String where;
    private final String problem;
    private final String action;

    /**
     * Describes a mistake.
     *
     * @param where the property, the annotated method or type, or the bean that declares it
     * @param problem what is wrong, with the value, as a sentence
     * @param action how to put it right, as a sentence
     */
    public InvalidRuleException(String where, String problem, String action) {
        super(where + ": " + problem + " " + action);
        this.where = where;
        this.problem = problem;
        this.action = action;
    }

    public String where() {
        return where;
    }

    public String problem() {
        return problem;
    }

    public String action() {
        return action;
    }
}
