package dev.ratelimit.spring.method;

import java.lang.reflect.Method;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;

/**
 * The methods that the interceptor of Spring MVC decides about. They need no advice, and so their
 * controllers need no proxy.
 */
final class HandlerMethods {

    /** By name, since the classes are missing where there is no web. */
    private static final List<String> MAPPINGS =
            List.of(
                    "org.springframework.web.bind.annotation.RequestMapping",
                    "org.springframework.web.service.annotation.HttpExchange");

    private final boolean interceptorPresent;

    HandlerMethods(boolean interceptorPresent) {
        this.interceptorPresent = interceptorPresent;
    }

    /**
     * Whether calls of the method need no advice, since the interceptor decides by all of its
     * limits. It cannot decide by those that need advice, and leaves all of the method's to the
     * advice then, so that a refusal by one still spends nothing of another.
     */
    boolean decide(Method method, BeanType type, List<DeclaredLimit> limits) {
        if (!type.isProxiedBySubclass() || !isOfController(type)) {
            return false;
        }
        return isMapped(method)
                ? limits.stream().noneMatch(DeclaredLimit::needsAdvice)
                : limits.get(0).isOnType();
    }

    /** Whether requests lead to calls of the method. */
    boolean isHandler(Method method, BeanType type) {
        return isOfController(type)
                && type.classes().stream()
                        .map(each -> AopUtils.getMostSpecificMethod(method, each))
                        .anyMatch(HandlerMethods::isMapped);
    }

    private boolean isOfController(BeanType type) {
        return interceptorPresent
                && type.classes().stream()
                        .anyMatch(
                                each ->
                                        AnnotatedElementUtils.hasAnnotation(
                                                each, Controller.class));
    }

    private static boolean isMapped(Method method) {
        MergedAnnotations annotations =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return MAPPINGS.stream().anyMatch(annotations::isPresent);
    }
}
