package dev.ratelimit.spring.method;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Looks for the method that an annotation names as fallback of another, and explains if none fits.
 */
final class FallbackSearch {

    private final BeanType type;
    private final Method method;
    private final DeclaredLimit limit;
    private final String name;

    /** The class in which type variables have values. */
    private final Class<?> context;

    private final List<Class<?>> parameters;

    FallbackSearch(BeanType type, Method method, DeclaredLimit limit) {
        this.type = type;
        this.method = method;
        this.limit = limit;
        this.name = limit.annotation().fallback().strip();
        this.context =
                method.getDeclaringClass().isAssignableFrom(type.target())
                        ? type.target()
                        : type.visible();
        this.parameters = parametersOf(method);
    }

    /**
     * Finds the method; null if a subclass or an implementation of what is known may have it.
     *
     * @throws InvalidRuleException if there is none that fits, or more than one
     */
    @Nullable Fallback find() {
        List<Method> named = ofClasses();
        List<Method> fitting = named.stream().filter(this::fits).toList();
        if (fitting.isEmpty()) {
            List<Method> ofInterfaces = ofInterfaces();
            fitting = ofInterfaces.stream().filter(this::fits).toList();
            named.addAll(ofInterfaces);
        }
        if (fitting.isEmpty()) {
            if (!type.isConcrete()) {
                return null;
            }
            throw invalid(
                    named.isEmpty()
                            ? "The bean has no method '" + name + "'."
                            : "The method " + signatures(named) + " takes other arguments.");
        }
        if (fitting.size() > 1) {
            throw invalid("There are several that fit: " + signatures(fitting) + ".");
        }
        return checked(fitting.get(0));
    }

    private Fallback checked(Method found) {
        if (Modifier.isStatic(found.getModifiers())) {
            throw invalid(
                    "The method "
                            + DeclaredLimit.signature(found)
                            + " is static, and not a method of the bean.");
        }
        Class<?> returned = GenericTypeResolver.resolveReturnType(found, context);
        Class<?> wanted = GenericTypeResolver.resolveReturnType(method, context);
        if (!ClassUtils.isAssignable(wanted, returned)) {
            throw invalid(
                    "The method "
                            + DeclaredLimit.signature(found)
                            + " returns "
                            + returned.getTypeName()
                            + ", and not "
                            + wanted.getTypeName()
                            + ".");
        }
        try {
            return new Fallback(found, takesException(found));
        } catch (IllegalAccessException e) {
            throw invalid(
                    "The method " + DeclaredLimit.signature(found) + " cannot be called: " + e);
        }
    }

    private InvalidRuleException invalid(String problem) {
        return new InvalidRuleException(
                limit.where("fallback"),
                "'"
                        + name
                        + "' is no fallback of "
                        + DeclaredLimit.signature(method)
                        + ". "
                        + problem,
                "Name a method of the same bean that takes ("
                        + parameters.stream()
                                .map(Class::getTypeName)
                                .collect(Collectors.joining(", "))
                        + "), and may take a RateLimitExceededException after that, and returns "
                        + GenericTypeResolver.resolveReturnType(method, context).getTypeName()
                        + ".");
    }

    private static String signatures(List<Method> methods) {
        return methods.stream().map(DeclaredLimit::signature).collect(Collectors.joining(" and "));
    }

    private boolean fits(Method candidate) {
        List<Class<?>> taken = parametersOf(candidate);
        return taken.equals(parameters)
                || (takesException(candidate)
                        && taken.subList(0, taken.size() - 1).equals(parameters));
    }

    private boolean takesException(Method candidate) {
        List<Class<?>> taken = parametersOf(candidate);
        if (taken.size() != parameters.size() + 1) {
            return false;
        }
        Class<?> last = taken.get(taken.size() - 1);
        return Throwable.class.isAssignableFrom(last)
                && last.isAssignableFrom(RateLimitExceededException.class);
    }

    private List<Class<?>> parametersOf(Method any) {
        List<Class<?>> types = new ArrayList<>(any.getParameterCount());
        for (int i = 0; i < any.getParameterCount(); i++) {
            types.add(ResolvableType.forMethodParameter(any, i, context).resolve(Object.class));
        }
        return types;
    }

    /** Methods of that name in the bean's class and above, without those that are overridden. */
    private List<Method> ofClasses() {
        Map<List<Class<?>>, Method> found = new LinkedHashMap<>();
        Class<?> at = Proxy.isProxyClass(type.target()) ? null : type.target();
        for (; at != null && at != Object.class; at = at.getSuperclass()) {
            add(found, at.getDeclaredMethods());
        }
        return new ArrayList<>(found.values());
    }

    private List<Method> ofInterfaces() {
        Map<List<Class<?>>, Method> found = new LinkedHashMap<>();
        for (Class<?> each : type.classes()) {
            for (Class<?> implemented : ClassUtils.getAllInterfacesForClass(each)) {
                add(found, implemented.getMethods());
            }
        }
        return new ArrayList<>(found.values());
    }

    private void add(Map<List<Class<?>>, Method> found, Method[] methods) {
        Arrays.stream(methods)
                .filter(each -> each.getName().equals(name) && !each.isBridge())
                .filter(each -> !Modifier.isAbstract(each.getModifiers()))
                .filter(each -> !isLimitedMethod(each))
                .forEach(each -> found.putIfAbsent(parametersOf(each), each));
    }

    private boolean isLimitedMethod(Method other) {
        return name.equals(method.getName()) && parametersOf(other).equals(parameters);
    }
}
