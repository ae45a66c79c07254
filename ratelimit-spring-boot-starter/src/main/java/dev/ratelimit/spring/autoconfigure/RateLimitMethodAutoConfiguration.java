package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.method.AnnotatedTypes;
import dev.ratelimit.spring.method.AnnotationRules;
import dev.ratelimit.spring.method.MethodLimiter;
import dev.ratelimit.spring.method.MethodRules;
import dev.ratelimit.spring.method.RateLimitedPostProcessor;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.RuleLimits;
import dev.ratelimit.spring.rule.Rules;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** The rules of annotated methods, and the advice on those that are not handler methods. */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
public final class RateLimitMethodAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotatedTypes rateLimitAnnotatedTypes(ConfigurableListableBeanFactory beans) {
        return new AnnotatedTypes(
                beans.containsBeanDefinition(RateLimitWebAutoConfiguration.class.getName()));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitedPostProcessor rateLimitedPostProcessor(
            AnnotatedTypes types, ObjectProvider<MethodLimiter> limiter, Environment environment) {
        // The properties are not bound yet, since this is made before all other beans.
        int order =
                Binder.get(environment)
                        .bind("ratelimit.method.order", Integer.class)
                        .orElse(Ordered.HIGHEST_PRECEDENCE);
        return new RateLimitedPostProcessor(types, SingletonSupplier.of(limiter::getObject), order);
    }

    @Bean
    MethodRules rateLimitMethodRules(
            AnnotatedTypes types,
            Rules rules,
            RuleLimits limits,
            Expressions expressions,
            RateLimitedPostProcessor postProcessor,
            ConfigurableListableBeanFactory beans) {
        return new MethodRules(
                types, new AnnotationRules(rules, limits, expressions), postProcessor, beans);
    }

    @Bean
    MethodLimiter rateLimitMethodLimiter(
            MethodRules rules,
            Decider decider,
            ObjectProvider<CurrentCaller> caller,
            TimeSource timeSource) {
        return new MethodLimiter(
                rules, decider, caller.getIfAvailable(() -> CurrentCaller.NONE), timeSource);
    }
}
