package dev.ratelimit.spring.expression;

import dev.ratelimit.spring.key.Nearest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/** Finds names in expressions that nothing has, which would fail at every call. */
final class ExpressionChecks {

    private static final List<String> PROPERTIES = List.of("request", "principal", "ip");
    private static final List<String> VARIABLES = List.of("#root", "#this");

    private final Set<String> variables;

    /**
     * Makes checks.
     *
     * @param variables what can be named with {@code #}, without it
     */
    ExpressionChecks(Set<String> variables) {
        this.variables = variables;
    }

    /** All that an expression names with {@code #}, wherever it stands. */
    static Set<String> variables(SpelNode node) {
        Set<String> names = new TreeSet<>();
        collectVariables(node, names);
        return names;
    }

    private static void collectVariables(SpelNode node, Set<String> names) {
        if (node instanceof VariableReference && !VARIABLES.contains(node.toStringAST())) {
            names.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectVariables(node.getChild(i), names);
        }
    }

    /** What is wrong below a node that begins something; null if nothing is. */
    @Nullable String problem(SpelNode node) {
        if (node instanceof Assign) {
            return "'=' would set '" + node.getChild(0).toStringAST() + "'; '==' compares";
        }
        if (node instanceof PropertyOrFieldReference property) {
            return PROPERTIES.contains(property.getName())
                    ? null
                    : "there is no '"
                            + property.getName()
                            + "', only "
                            + String.join(", ", PROPERTIES)
                            + Nearest.question(property.getName(), PROPERTIES);
        }
        if (node instanceof FunctionReference function) {
            return "there is no function '" + function.toStringAST() + "'";
        }
        if (node instanceof MethodReference method) {
            return "there is no method '" + method.getName() + "' without an object to call it on";
        }
        if (node instanceof VariableReference variable) {
            String name = variable.toStringAST();
            return VARIABLES.contains(name) || variables.contains(name.substring(1))
                    ? null
                    : "there is no '" + name + "'" + Nearest.question(name.substring(1), variables);
        }
        if (node instanceof Projection || node instanceof Selection) {
            return null;
        }
        return problemBelow(node);
    }

    /** What follows a dot is found on what stands before it, which is not known yet. */
    private @Nullable String problemBelow(SpelNode node) {
        int begins = node instanceof CompoundExpression ? 1 : node.getChildCount();
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            String problem =
                    i < begins
                            ? problem(child)
                            : child.getChildCount() == 0 ? null : arguments(child);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private @Nullable String arguments(SpelNode node) {
        return node instanceof MethodReference ? problemBelow(node) : null;
    }
}
