package dev.ratelimit.spring.method;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Lets calls pass that are admitted. */
final class RateLimitedAdvice implements MethodInterceptor {

    private final Supplier<MethodLimiter> limiter;

    RateLimitedAdvice(Supplier<MethodLimiter> limiter) {
        this.limiter = limiter;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return limiter.get().invoke((ProxyMethodInvocation) invocation);
    }
}
