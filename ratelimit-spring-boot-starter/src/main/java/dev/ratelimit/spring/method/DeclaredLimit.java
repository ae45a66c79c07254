package dev.ratelimit.spring.method;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.RuleSource;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * An annotation where it stands. However many beans, subclasses and proxies lead to it, it is the
 * same, and makes one rule.
 *
 * @param source the method or the type that is annotated
 * @param index which of the annotations on it this is, from 0
 * @param annotation what it says, with the attributes of annotations that it is on
 */
record DeclaredLimit(AnnotatedElement source, int index, RateLimited annotation) {

    boolean isOnType() {
        return source instanceof Class;
    }

    Class<?> declaringClass() {
        return source instanceof Method method ? method.getDeclaringClass() : (Class<?>) source;
    }

    /** Whether this stands on an override of what the other one stands on. */
    boolean isNearerThan(DeclaredLimit other) {
        return declaringClass() != other.declaringClass()
                && other.declaringClass().isAssignableFrom(declaringClass());
    }

    /** The annotated element, the same on all nodes: {@code com.acme.Search.find(String)}. */
    String place() {
        return source instanceof Method method ? signature(method) : declaringClass().getTypeName();
    }

    static String signature(Method method) {
        return method.getDeclaringClass().getTypeName()
                + "."
                + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getTypeName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    /** For messages. */
    String where() {
        return "@RateLimited on " + place();
    }

    /** Where an attribute stands, for messages. */
    String where(String attribute) {
        return RuleSource.ANNOTATION.where(where(), attribute);
    }

    static boolean isExpression(String text) {
        return text.stripLeading().startsWith("#");
    }

    boolean hasExpression() {
        return isExpression(annotation.permits())
                || Arrays.stream(annotation.key()).anyMatch(DeclaredLimit::isExpression);
    }

    boolean hasFallback() {
        return !annotation.fallback().isEmpty();
    }

    boolean hasMaxWait() {
        return !annotation.maxWait().isEmpty();
    }

    /** Whether only advice can do what this says, since it takes the arguments or the bean. */
    boolean needsAdvice() {
        return hasExpression() || hasFallback();
    }
}
