package dev.ratelimit.spring.method;

import dev.ratelimit.spring.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ReflectionUtils;

/**
 * The annotations that apply to the methods of a bean. They are looked for on overridden methods,
 * interfaces and other annotations too. Those of a method replace those of its type, and those of
 * an override replace those of what it overrides.
 */
final class AnnotatedType {

    /** What a container calls on its own account, and a rule of the whole type does not count. */
    private static final List<Class<?>> CALLBACKS =
            List.of(
                    InitializingBean.class,
                    DisposableBean.class,
                    SmartInitializingSingleton.class,
                    SmartLifecycle.class,
                    Phased.class,
                    Ordered.class);

    private final BeanType type;
    private final HandlerMethods handlers;
    private final List<DeclaredLimit> limitsOfType;
    private final Map<Method, List<DeclaredLimit>> limits;
    private final Map<Method, List<DeclaredLimit>> advised;

    AnnotatedType(BeanType type, HandlerMethods handlers) {
        this.type = type;
        this.handlers = handlers;
        this.limitsOfType = search(type.classes());
        this.limits =
                MethodIntrospector.selectMethods(
                        type.visible(),
                        (MethodIntrospector.MetadataLookup<List<DeclaredLimit>>)
                                method -> {
                                    List<DeclaredLimit> found = limitsOf(method);
                                    return found.isEmpty() ? null : found;
                                });
        this.advised = new LinkedHashMap<>(limits);
        advised.entrySet().removeIf(e -> handlers.decide(e.getKey(), type, e.getValue()));
    }

    BeanType type() {
        return type;
    }

    /** All limits of all methods. */
    Set<DeclaredLimit> limits() {
        return limits.values().stream().flatMap(List::stream).collect(Collectors.toSet());
    }

    /** The methods whose calls are requests, each with its limits. */
    Map<Method, List<DeclaredLimit>> handlers() {
        Map<Method, List<DeclaredLimit>> found = new LinkedHashMap<>(limits);
        found.keySet().removeIf(method -> !handlers.isHandler(method, type));
        return found;
    }

    /** The methods that need the advice, each with its limits. */
    Map<Method, List<DeclaredLimit>> advised() {
        return advised;
    }

    boolean isAdvised(Method method) {
        List<DeclaredLimit> found = limitsOf(method);
        return !found.isEmpty()
                && !handlers.decide(
                        AopUtils.getMostSpecificMethod(method, type.visible()), type, found);
    }

    /** The limits of a method, which may be one of an interface. */
    List<DeclaredLimit> limitsOf(Method method) {
        List<DeclaredLimit> ofMethod =
                search(
                        type.classes().stream()
                                .map(each -> AopUtils.getMostSpecificMethod(method, each))
                                .distinct()
                                .toList());
        if (!ofMethod.isEmpty() || limitsOfType.isEmpty() || !isCountedByType(method)) {
            return ofMethod;
        }
        return nearest(
                limitsOfType.stream()
                        .filter(limit -> !limit.annotation().fallback().equals(method.getName()))
                        .filter(limit -> isMethodOf(limit.declaringClass(), method))
                        .toList());
    }

    private boolean isCountedByType(Method method) {
        return !Modifier.isStatic(method.getModifiers())
                && !Modifier.isPrivate(method.getModifiers())
                && !ReflectionUtils.isObjectMethod(method)
                && !AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                && CALLBACKS.stream().noneMatch(callback -> isInheritedFrom(callback, method));
    }

    private boolean isInheritedFrom(Class<?> callback, Method method) {
        return callback.isAssignableFrom(type.target()) && isMethodOf(callback, method);
    }

    /** All methods of a class are those of its superclass; of an interface, only some are. */
    private boolean isMethodOf(Class<?> declaring, Method method) {
        if (!declaring.isInterface()) {
            return true;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, type.visible());
        return Arrays.stream(declaring.getMethods())
                .filter(candidate -> candidate.getName().equals(method.getName()))
                .map(candidate -> AopUtils.getMostSpecificMethod(candidate, type.visible()))
                .anyMatch(specific::equals);
    }

    private static List<DeclaredLimit> search(List<? extends AnnotatedElement> elements) {
        Set<DeclaredLimit> found = new LinkedHashSet<>();
        for (AnnotatedElement element : elements) {
            Map<Object, Integer> counts = new HashMap<>();
            MergedAnnotations.from(
                            element,
                            SearchStrategy.TYPE_HIERARCHY,
                            RepeatableContainers.standardRepeatables())
                    .stream(RateLimited.class)
                    .forEach(annotation -> found.add(declared(annotation, counts)));
        }
        return nearest(found);
    }

    private static DeclaredLimit declared(
            MergedAnnotation<RateLimited> annotation, Map<Object, Integer> counts) {
        Object source = Objects.requireNonNull(annotation.getSource());
        int index = counts.merge(source, 1, Integer::sum) - 1;
        // The compiler copies annotations to bridge methods: those are not more of them.
        AnnotatedElement element =
                source instanceof Method method
                        ? BridgeMethodResolver.findBridgedMethod(method)
                        : (AnnotatedElement) source;
        return new DeclaredLimit(element, index, annotation.synthesize());
    }

    private static List<DeclaredLimit> nearest(Collection<DeclaredLimit> limits) {
        return limits.stream()
                .filter(limit -> limits.stream().noneMatch(other -> other.isNearerThan(limit)))
                .toList();
    }
}
