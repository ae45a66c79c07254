package dev.ratelimit.spring.method;

import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.Nearest;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;

/** The arguments of a method that expressions of its annotations name. */
final class NamedArguments {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** As in other annotations of Spring, {@code #a0} and {@code #p0} are the first argument. */
    private static final Pattern NUMBERED = Pattern.compile("[ap]\\d{1,3}");

    private final String[] names;
    private final int[] indices;

    private NamedArguments(Map<String, Integer> indexByName) {
        this.names = indexByName.keySet().toArray(String[]::new);
        this.indices = indexByName.values().stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Finds the parameters that are named.
     *
     * @throws InvalidRuleException if there are none of that name
     */
    static NamedArguments of(BeanType type, Method method, List<DeclaredLimit> limits) {
        Map<String, Integer> indexByName = new TreeMap<>();
        for (DeclaredLimit limit : limits) {
            for (String part : limit.annotation().key()) {
                add(indexByName, type, method, limit, "key", part);
            }
            add(indexByName, type, method, limit, "permits", limit.annotation().permits());
        }
        return new NamedArguments(indexByName);
    }

    private static void add(
            Map<String, Integer> indexByName,
            BeanType type,
            Method method,
            DeclaredLimit limit,
            String attribute,
            String text) {
        if (!DeclaredLimit.isExpression(text)) {
            return;
        }
        String where = limit.where(attribute);
        for (String name : Expressions.variables(where, text)) {
            int index = indexOf(name, declarations(type, method, limit), method);
            if (index < 0) {
                throw missing(where, name, method, declarations(type, method, limit));
            }
            Integer other = indexByName.putIfAbsent(name, index);
            if (other != null && other != index) {
                throw new InvalidRuleException(
                        where,
                        "The parameter '"
                                + name
                                + "' of "
                                + DeclaredLimit.signature(method)
                                + " has another place in another declaration of the method.",
                        "Write #a" + index + " for it.");
            }
        }
    }

    /** The method as it is declared where the annotation stands, and as beans have it. */
    private static Set<Method> declarations(BeanType type, Method method, DeclaredLimit limit) {
        Set<Method> declarations = new LinkedHashSet<>();
        Method annotated =
                limit.source() instanceof Method source
                        ? source
                        : ClassUtils.getMethodIfAvailable(
                                limit.declaringClass(),
                                method.getName(),
                                method.getParameterTypes());
        if (annotated != null) {
            declarations.add(annotated);
        }
        type.classes()
                .forEach(each -> declarations.add(AopUtils.getMostSpecificMethod(method, each)));
        declarations.add(method);
        return declarations;
    }

    private static int indexOf(String name, Set<Method> declarations, Method method) {
        for (Method declaration : declarations) {
            @Nullable String @Nullable [] parameters = NAMES.getParameterNames(declaration);
            int index = parameters == null ? -1 : Arrays.asList(parameters).indexOf(name);
            if (index >= 0) {
                return index;
            }
        }
        if (NUMBERED.matcher(name).matches()) {
            int index = Integer.parseInt(name.substring(1));
            return index < method.getParameterCount() ? index : -1;
        }
        return -1;
    }

    private static InvalidRuleException missing(
            String where, String name, Method method, Set<Method> declarations) {
        List<String> known = new ArrayList<>();
        for (Method declaration : declarations) {
            @Nullable String @Nullable [] parameters = NAMES.getParameterNames(declaration);
            if (parameters != null && known.isEmpty()) {
                known.addAll(Arrays.asList(parameters));
            }
        }
        boolean unnamed = known.isEmpty() && method.getParameterCount() > 0;
        return new InvalidRuleException(
                where,
                "The method "
                        + DeclaredLimit.signature(method)
                        + " has no parameter '"
                        + name
                        + "'"
                        + (unnamed ? " that is known by name." : ".")
                        + Nearest.question(name, known),
                unnamed
                        ? "Compile its class with -parameters, or write #a0 for the first parameter."
                        : known.isEmpty()
                                ? "It has no parameters: use another key, or another method."
                                : "Its parameters are "
                                        + String.join(", ", known)
                                        + "; #a0 is the first.");
    }

    /** The caller of a call with its arguments. */
    Caller with(Caller caller, @Nullable Object[] arguments) {
        if (names.length == 0) {
            return caller;
        }
        Map<String, @Nullable Object> values = new HashMap<>(names.length * 2);
        for (int i = 0; i < names.length; i++) {
            values.put(names[i], arguments[indices[i]]);
        }
        return caller.with(values);
    }
}
