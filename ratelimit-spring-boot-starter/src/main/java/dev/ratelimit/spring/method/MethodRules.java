package dev.ratelimit.spring.method;

import dev.ratelimit.spring.rule.HandlerRules;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Rule;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The rules of each method. Those of all beans whose types are known are made together at the end
 * of the start, so that a mistake stops it; those of later beans are made as these are.
 */
public final class MethodRules implements HandlerRules, SmartInitializingSingleton {

    private static final Log LOGGER = LogFactory.getLog(MethodRules.class);

    private final AnnotatedTypes types;
    private final AnnotationRules rules;
    private final RateLimitedPostProcessor postProcessor;
    private final BeanTypes beans;
    private final Map<Call, LimitedMethod> methodsByCall = new ConcurrentHashMap<>();
    private volatile boolean started;

    /**
     * Makes one.
     *
     * @param types what is annotated
     * @param rules makes a rule of each annotation
     * @param postProcessor puts the advice around beans
     * @param beans all beans
     */
    public MethodRules(
            AnnotatedTypes types,
            AnnotationRules rules,
            RateLimitedPostProcessor postProcessor,
            ConfigurableListableBeanFactory beans) {
        this.types = types;
        this.rules = rules;
        this.postProcessor = postProcessor;
        this.beans = new BeanTypes(beans);
    }

    @Override
    public void afterSingletonsInstantiated() {
        addAll();
        beans.all().forEach(this::check);
        postProcessor.onNewBean(type -> rules.of(type.limits()));
        started = true;
    }

    private void addAll() {
        Set<DeclaredLimit> limits = new HashSet<>();
        beans.all().values().forEach(type -> limits.addAll(types.get(type).limits()));
        rules.of(limits);
    }

    private void check(String name, BeanType beanType) {
        AnnotatedType type = types.get(beanType);
        if (beans.existing(name) == null) {
            postProcessor.check(type);
        } else if (!type.advised().isEmpty() && !postProcessor.hasAdvised(name)) {
            LOGGER.warn(
                    "RL-UNCOUNTED-BEAN: The bean '"
                            + name
                            + "' was made without the post-processors of beans, so that"
                            + " @RateLimited has no effect on it. It is a ready-made object, or"
                            + " something that is needed very early depends on it");
        }
    }

    @Override
    public List<Rule> of(Method method, Class<?> type) {
        LimitedMethod found = of(method, type, type);
        return found.needsAdvice() ? List.of() : found.rules();
    }

    /** What to do about a call through a proxy. */
    LimitedMethod of(Method method, Class<?> proxy, Class<?> target) {
        Call call = new Call(method, proxy, target);
        LimitedMethod found = methodsByCall.get(call);
        if (found == null) {
            found = find(call);
            methodsByCall.put(call, found);
        }
        return found;
    }

    private LimitedMethod find(Call call) {
        if (!started) {
            // All together, so that names do not depend on which bean is called first.
            addAll();
        }
        BeanType type = BeanType.of(call.proxy, call.target);
        List<DeclaredLimit> limits = types.get(type).limitsOf(call.method);
        try {
            return LimitedMethod.of(
                    limits, rules.of(limits), AdvisedMethod.of(type, call.method, limits));
        } catch (InvalidRuleException e) {
            if (!started) {
                throw e;
            }
            // Beans are checked as they are made, but there are handlers that are no beans.
            LOGGER.error("RL-INVALID-ANNOTATION: " + call.method + " is called without a limit", e);
            return LimitedMethod.of(
                    List.of(), Map.of(), AdvisedMethod.of(type, call.method, List.of()));
        }
    }

    private record Call(Method method, Class<?> proxy, Class<?> target) {}
}
