package dev.ratelimit.spring.method;

import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Whether calls of annotated methods can be counted at all, where that takes a proxy. */
final class AdviceChecks {

    private static final Log LOGGER = LogFactory.getLog(AdviceChecks.class);

    private final Set<Method> warned = ConcurrentHashMap.newKeySet();

    /**
     * Checks what is annotated in a class.
     *
     * @throws InvalidRuleException if calls cannot be counted that the application makes on a bean
     */
    void check(AnnotatedType type) {
        type.advised().forEach((method, limits) -> check(type, method, limits.get(0)));
    }

    private void check(AnnotatedType type, Method method, DeclaredLimit limit) {
        int modifiers = method.getModifiers();
        Class<?> beanClass = type.type().visible();
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            throw new InvalidRuleException(
                    limit.where(),
                    "A @Bean method is called to make a bean, and not when the bean is used.",
                    "Put the annotation on the class of that bean, or on methods of it.");
        }
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            warn(method, Modifier.isStatic(modifiers) ? "static" : "private");
        } else if (type.type().isProxiedBySubclass()) {
            if (Modifier.isFinal(beanClass.getModifiers())) {
                throw unproxiable(limit, "The class " + beanClass.getTypeName() + " is final");
            }
            if (Modifier.isFinal(modifiers)) {
                checkFinal(method, limit);
            }
        }
    }

    /** Somebody who annotates a type cannot help it that a library's superclass is like that. */
    private void checkFinal(Method method, DeclaredLimit limit) {
        if (limit.isOnType()
                && !limit.declaringClass().isAssignableFrom(method.getDeclaringClass())) {
            warn(method, "final");
        } else {
            throw unproxiable(limit, "The method " + DeclaredLimit.signature(method) + " is final");
        }
    }

    private static InvalidRuleException unproxiable(DeclaredLimit limit, String what) {
        return new InvalidRuleException(
                limit.where(),
                what + ", so that calls do not pass a proxy that could count them.",
                "Remove 'final' (in Kotlin, add 'open'), or annotate something else.");
    }

    private void warn(Method method, String modifier) {
        if (warned.add(method)) {
            LOGGER.warn(
                    "RL-UNCOUNTED-METHOD: "
                            + DeclaredLimit.signature(method)
                            + " is "
                            + modifier
                            + ", so that its calls do not pass the proxy, and @RateLimited has no"
                            + " effect on it");
        }
    }
}
