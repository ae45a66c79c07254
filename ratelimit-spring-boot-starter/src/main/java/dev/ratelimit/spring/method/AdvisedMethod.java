package dev.ratelimit.spring.method;

import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;

/**
 * What the annotations of a method say about its calls, apart from their rules.
 *
 * @param arguments the arguments that expressions name
 * @param onRefusal what becomes of refused calls
 * @param reactive how to limit a result that works when it is subscribed to; null for others
 * @param interruptible whether callers expect an {@link InterruptedException}
 */
record AdvisedMethod(
        NamedArguments arguments,
        Map<DeclaredLimit, OnRefusal> onRefusal,
        @Nullable ReactiveResult reactive,
        boolean interruptible) {

    /** Asked here, since the other class cannot even be loaded without. */
    private static final boolean REACTIVE_STREAMS =
            ClassUtils.isPresent(
                    "org.reactivestreams.Publisher", AdvisedMethod.class.getClassLoader());

    /**
     * Reads the annotations of a method.
     *
     * @throws InvalidRuleException if one of them cannot work
     */
    static AdvisedMethod of(BeanType type, Method method, List<DeclaredLimit> limits) {
        Map<DeclaredLimit, OnRefusal> onRefusal = new LinkedHashMap<>();
        limits.forEach(limit -> onRefusal.put(limit, OnRefusal.of(type, method, limit)));
        ReactiveResult reactive =
                REACTIVE_STREAMS
                        ? ReactiveResult.of(
                                GenericTypeResolver.resolveReturnType(method, type.visible()))
                        : null;
        if (reactive != null) {
            limits.stream()
                    .filter(DeclaredLimit::hasMaxWait)
                    .forEach(limit -> refuseToBlock(limit, method));
        }
        return new AdvisedMethod(
                NamedArguments.of(type, method, limits),
                onRefusal,
                reactive,
                Arrays.asList(method.getExceptionTypes()).contains(InterruptedException.class));
    }

    private static void refuseToBlock(DeclaredLimit limit, Method method) {
        throw new InvalidRuleException(
                limit.where("maxWait"),
                "The method "
                        + DeclaredLimit.signature(method)
                        + " returns a reactive type, whose subscribers must not be made to wait.",
                "Remove maxWait, and let the subscriber retry after a delay.");
    }
}
