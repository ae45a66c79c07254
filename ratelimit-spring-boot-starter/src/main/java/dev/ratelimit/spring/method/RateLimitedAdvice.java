package dev.ratelimit.spring.method;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Counts a call before it is made. */
final class RateLimitedAdvice implements MethodInterceptor {

    private final Supplier<MethodLimiter> limiter;

    RateLimitedAdvice(Supplier<MethodLimiter> limiter) {
        this.limiter = limiter;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> proxy = ((ProxyMethodInvocation) invocation).getProxy().getClass();
        Object target = invocation.getThis();
        limiter.get()
                .acquire(invocation.getMethod(), proxy, target == null ? proxy : target.getClass());
        return invocation.proceed();
    }
}
