package dev.ratelimit.spring.method;

import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Whether what is annotated can work, before anybody calls it. */
final class AdviceChecks {

    private static final Log LOGGER = LogFactory.getLog(AdviceChecks.class);

    private final Set<AnnotatedType> checked = ConcurrentHashMap.newKeySet();
    private final Set<Method> warned = ConcurrentHashMap.newKeySet();

    /**
     * Checks what is annotated in a class.
     *
     * @throws InvalidRuleException if calls cannot be counted that the application makes on a bean
     */
    void check(AnnotatedType type) {
        // A bean may be made for each request.
        if (!checked.contains(type)) {
            type.handlers().forEach(AdviceChecks::checkHandler);
            type.advised().forEach((method, limits) -> check(type, method, limits));
            checked.add(type);
        }
    }

    private static void checkHandler(Method method, List<DeclaredLimit> limits) {
        for (DeclaredLimit limit : limits) {
            if (limit.hasMaxWait()) {
                throw new InvalidRuleException(
                        limit.where("maxWait"),
                        "Calls of "
                                + DeclaredLimit.signature(method)
                                + " are requests, which are refused and never wait.",
                        "Remove maxWait, or put the annotation on what the method calls.");
            }
        }
    }

    private void check(AnnotatedType type, Method method, List<DeclaredLimit> limits) {
        if (isCounted(type, method, limits.get(0))) {
            AdvisedMethod.of(type.type(), method, limits);
        }
    }

    /** Whether calls pass the advice. */
    private boolean isCounted(AnnotatedType type, Method method, DeclaredLimit limit) {
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
            return false;
        }
        if (type.type().isProxiedBySubclass()) {
            if (Modifier.isFinal(beanClass.getModifiers())) {
                throw unproxiable(limit, "The class " + beanClass.getTypeName() + " is final");
            }
            if (Modifier.isFinal(modifiers)) {
                checkFinal(method, limit);
                return false;
            }
        }
        return true;
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
