package dev.ratelimit.spring.method;

import java.lang.reflect.Method;
import java.util.List;
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

    /** Whether calls of the method are counted as requests. */
    boolean decide(Method method, BeanType type, List<DeclaredLimit> limits) {
        return interceptorPresent
                && type.isProxiedBySubclass()
                && AnnotatedElementUtils.hasAnnotation(type.visible(), Controller.class)
                && (isHandler(method) || limits.get(0).isOnType());
    }

    private static boolean isHandler(Method method) {
        MergedAnnotations annotations =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return MAPPINGS.stream().anyMatch(annotations::isPresent);
    }
}
