package dev.ratelimit.spring.web;

import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Tells which handlers and paths are Actuator's. Health probes come from few addresses, and whoever
 * is to lift a limit must not be stopped by it.
 */
public final class ActuatorEndpoints {

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

    private final SingletonSupplier<PathPattern[]> patterns;

    /**
     * Makes this.
     *
     * @param beans has the handler mappings
     */
    public ActuatorEndpoints(ListableBeanFactory beans) {
        patterns = SingletonSupplier.of(() -> patterns(beans));
    }

    private static PathPattern[] patterns(ListableBeanFactory beans) {
        Set<PathPattern> patterns = new LinkedHashSet<>();
        BeanFactoryUtils.beansOfTypeIncludingAncestors(
                        beans, RequestMappingInfoHandlerMapping.class, true, false)
                .values()
                .forEach(
                        mapping ->
                                mapping.getHandlerMethods()
                                        .forEach(
                                                (info, handler) -> {
                                                    PathPatternsRequestCondition paths =
                                                            info.getPathPatternsCondition();
                                                    if (paths != null && isEndpoint(handler)) {
                                                        patterns.addAll(paths.getPatterns());
                                                    }
                                                }));
        return patterns.toArray(PathPattern[]::new);
    }

    static boolean isEndpoint(Object handler) {
        return handler instanceof HandlerMethod method && ENDPOINTS.get(method.getBeanType());
    }

    /** Whether an endpoint of this application is at a path. */
    boolean areAt(PathContainer path) {
        for (PathPattern pattern : patterns.obtain()) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }
}
