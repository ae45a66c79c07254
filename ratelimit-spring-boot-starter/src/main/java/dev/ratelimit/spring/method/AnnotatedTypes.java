package dev.ratelimit.spring.method;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** What is annotated in each class, looked for once. */
public final class AnnotatedTypes {

    private static final Log LOGGER = LogFactory.getLog(AnnotatedTypes.class);

    private final HandlerMethods handlers;
    private final Map<BeanType, AnnotatedType> types = new ConcurrentHashMap<>();

    /**
     * Begins with no class.
     *
     * @param interceptorPresent whether handler methods are left to the interceptor of Spring MVC
     */
    public AnnotatedTypes(boolean interceptorPresent) {
        this.handlers = new HandlerMethods(interceptorPresent);
    }

    AnnotatedType get(BeanType type) {
        AnnotatedType known = types.get(type);
        return known != null ? known : types.computeIfAbsent(type, this::read);
    }

    private AnnotatedType read(BeanType type) {
        try {
            return new AnnotatedType(type, handlers);
        } catch (IllegalStateException | LinkageError e) {
            // A signature names a class that is not there. The bean may well work without.
            LOGGER.warn(
                    "RL-UNREADABLE-CLASS: "
                            + type.visible().getName()
                            + " cannot be searched for @RateLimited, and none is in effect there",
                    e);
            return new AnnotatedType(BeanType.of(Object.class), handlers);
        }
    }
}
