package dev.ratelimit.spring.method;

import dev.ratelimit.spring.RateLimitExceededException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** The method of a bean that is called in place of one that a limit refuses. */
final class Fallback {

    private final Method method;
    private final boolean takesException;
    private final @Nullable MethodHandle ofInterface;

    /**
     * Makes one.
     *
     * @param method has the parameters of the other one
     * @param takesException whether it has one more, for the exception
     * @throws IllegalAccessException if it is one of an interface that nobody else can call
     */
    Fallback(Method method, boolean takesException) throws IllegalAccessException {
        this.method = method;
        this.takesException = takesException;
        this.ofInterface = method.isDefault() ? special(method) : null;
        ReflectionUtils.makeAccessible(method);
    }

    /** A proxy would take an ordinary call of a default method for one more call of its own. */
    private static MethodHandle special(Method method) throws IllegalAccessException {
        Class<?> type = method.getDeclaringClass();
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                .unreflectSpecial(method, type)
                .asFixedArity();
    }

    static @Nullable Fallback find(BeanType type, Method method, DeclaredLimit limit) {
        return limit.hasFallback() ? new FallbackSearch(type, method, limit).find() : null;
    }

    /**
     * Calls the method, without any proxy where there is something behind it.
     *
     * @throws Throwable whatever the method throws
     */
    @Nullable Object call(
            @Nullable Object target,
            Object proxy,
            @Nullable Object[] arguments,
            RateLimitExceededException refusal)
            throws Throwable {
        Object bean = method.getDeclaringClass().isInstance(target) ? target : proxy;
        @Nullable Object[] all = arguments;
        if (takesException) {
            all = Arrays.copyOf(arguments, arguments.length + 1, Object[].class);
            all[arguments.length] = refusal;
        }
        if (ofInterface != null) {
            return ofInterface.bindTo(bean).invokeWithArguments(all);
        }
        try {
            return method.invoke(bean, all);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
