package dev.ratelimit.spring.web;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.web.method.HandlerMethod;

/**
 * Tells which handlers are Actuator's. Health probes come from few addresses, and whoever is to
 * lift a limit must not be stopped by it.
 */
final class ActuatorEndpoints {

    private static final String ENDPOINT =
            "org.springframework.boot.actuate.endpoint.annotation.Endpoint";

    /** By the class of the controller: Actuator's own, or one with an annotation of its. */
    private static final ClassValue<Boolean> ENDPOINTS =
            new ClassValue<>() {
                @Override
                protected Boolean computeValue(Class<?> type) {
                    String name = type.getName();
                    return (name.startsWith("org.springframework.boot.")
                                    && name.contains(".actuate."))
                            || MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
                                    .isPresent(ENDPOINT);
                }
            };

    private ActuatorEndpoints() {}

    static boolean isEndpoint(Object handler) {
        return handler instanceof HandlerMethod method && ENDPOINTS.get(method.getBeanType());
    }
}
