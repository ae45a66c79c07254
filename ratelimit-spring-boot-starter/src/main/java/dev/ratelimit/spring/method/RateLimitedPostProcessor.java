package dev.ratelimit.spring.method;

import java.io.Serial;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/**
 * Puts the advice around beans with annotated methods. This works whatever the application's
 * settings for AOP are, and without AspectJ. Where nothing else is said, the advice is outermost,
 * so that a refused call neither begins a transaction nor changes to another thread.
 */
public final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    @Serial private static final long serialVersionUID = 1L;

    private final transient AnnotatedTypes types;
    private final transient AdviceChecks checks = new AdviceChecks();
    private final transient Advisor annotatedCalls;
    private final transient Advisor allCalls;
    private final int adviceOrder;
    private final transient Set<String> advisedBeans = ConcurrentHashMap.newKeySet();
    private transient volatile Consumer<AnnotatedType> listener = type -> {};

    /**
     * Makes one.
     *
     * @param types what is annotated
     * @param limiter decides about calls; asked for at the first call, since this object is made
     *     before all others
     * @param adviceOrder the place among other advice: inside of what has a lower order
     */
    public RateLimitedPostProcessor(
            AnnotatedTypes types, Supplier<MethodLimiter> limiter, int adviceOrder) {
        this.types = types;
        this.adviceOrder = adviceOrder;
        RateLimitedAdvice advice = new RateLimitedAdvice(limiter);
        this.annotatedCalls = new DefaultPointcutAdvisor(new AnnotatedMethods(types), advice);
        this.allCalls = new DefaultPointcutAdvisor(Pointcut.TRUE, advice);
        this.advisor = annotatedCalls;
        setProxyTargetClass(true);
        setBeforeExistingAdvisors(true);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        AnnotatedType type = types.get(BeanType.of(bean));
        if (type.limits().isEmpty()) {
            return bean;
        }
        listener.accept(type);
        checks.check(type);
        if (type.advised().isEmpty()) {
            return bean;
        }
        advisedBeans.add(beanName);
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            // A JDK proxy tells a pointcut neither its interfaces nor, sometimes, its target.
            add(advised, Proxy.isProxyClass(bean.getClass()) ? allCalls : annotatedCalls);
            return bean;
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }

    private void add(Advised advised, Advisor advisor) {
        if (advised.indexOf(advisor) < 0) {
            advised.addAdvisor(place(advised.getAdvisors()), advisor);
        }
    }

    /** Inside of all that has a lower order. Others need not be in their order. */
    private int place(Advisor[] advisors) {
        int place = advisors.length;
        while (place > 0
                && !(advisors[place - 1] instanceof Ordered outer
                        && outer.getOrder() < adviceOrder)) {
            place--;
        }
        return place;
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return !types.get(BeanType.of(targetClass)).advised().isEmpty();
    }

    /** Checks the type of a bean that does not exist yet. */
    void check(AnnotatedType type) {
        checks.check(type);
    }

    boolean hasAdvised(String beanName) {
        return advisedBeans.contains(beanName);
    }

    /**
     * Shows the types of all beans that are made from now on, if something in them is annotated.
     */
    void onNewBean(Consumer<AnnotatedType> listener) {
        this.listener = listener;
    }

    private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

        private final AnnotatedTypes types;

        AnnotatedMethods(AnnotatedTypes types) {
            this.types = types;
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return types.get(BeanType.of(targetClass)).isAdvised(method);
        }
    }
}
