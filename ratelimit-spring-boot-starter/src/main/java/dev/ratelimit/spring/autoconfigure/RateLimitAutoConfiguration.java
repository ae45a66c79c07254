package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.key.KeyParser;
import dev.ratelimit.spring.key.RuleKeys;
import dev.ratelimit.spring.key.SecretHash;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.DefaultRateLimiters;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.RuleDoubts;
import dev.ratelimit.spring.rule.RuleLimits;
import dev.ratelimit.spring.rule.Rules;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.StringUtils;

/** The rules and what decides by them; everything else builds on these beans. */
@AutoConfiguration
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitAutoConfiguration {

    private static final Log LOGGER = LogFactory.getLog(RateLimitAutoConfiguration.class);

    @Bean
    static PropertyNames rateLimitPropertyNames(ConfigurableEnvironment environment) {
        return new PropertyNames(environment);
    }

    @Bean
    @ConditionalOnMissingBean
    TimeSource rateLimitTimeSource() {
        return TimeSource.system();
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimitStore rateLimitStore(TimeSource timeSource, RateLimitProperties properties) {
        if (properties.store() == RateLimitProperties.Store.REDIS) {
            throw new InvalidRuleException(
                    "ratelimit.store",
                    "The store is redis, but Spring Data Redis is not on the class path.",
                    "Add the dependency org.springframework.boot:spring-boot-starter-data-redis, or"
                            + " remove this property.");
        }
        return new InMemoryStore(timeSource);
    }

    @Bean
    RuleKeys rateLimitRuleKeys(BeanFactory beans, RateLimitProperties properties) {
        return new KeyParser(
                new SecretHash(properties.hashSecret()),
                properties.clientIp().ipv6Prefix(),
                name ->
                        beans.containsBean(name)
                                && beans.isTypeMatch(name, RateLimitKeyResolver.class));
    }

    @Bean
    RuleLimits rateLimitRuleLimits(ListableBeanFactory beans) {
        return new RuleLimits(beans);
    }

    @Bean
    Expressions rateLimitExpressions(BeanFactory beans) {
        return new Expressions(beans);
    }

    @Bean
    PropertyRules rateLimitPropertyRules(RuleLimits ruleLimits, Expressions expressions) {
        return new PropertyRules(ruleLimits, expressions);
    }

    @Bean
    RuleRefresh rateLimitRuleRefresh(
            ConfigurableEnvironment environment,
            PropertyNames names,
            PropertyRules propertyRules,
            Rules rules,
            RateLimitProperties properties) {
        return new RuleRefresh(environment, names, propertyRules, rules, properties.rules());
    }

    /** Not lazy in any application: what cannot work is to stop the start. */
    @Bean
    @Lazy(false)
    Rules rateLimitRules(
            RateLimitStore store,
            RuleKeys keys,
            PropertyRules propertyRules,
            RuleLimits ruleLimits,
            Expressions expressions,
            RateLimitProperties properties,
            ListableBeanFactory beans) {
        return new Rules(
                store,
                keys,
                properties.inMemory().maxKeys(),
                DeclaredRules.read(properties, propertyRules, ruleLimits, expressions, beans));
    }

    @Bean
    RuleDoubts rateLimitRuleDoubts(Rules rules, RateLimitProperties properties) {
        boolean hashesAlone =
                properties.store() == RateLimitProperties.Store.REDIS
                        && !StringUtils.hasText(properties.hashSecret());
        return new RuleDoubts(
                rules, hashesAlone, !properties.clientIp().trustedProxies().isEmpty());
    }

    @Bean
    Decider rateLimitDecider(RateLimitStore store, RateLimitProperties properties) {
        if (!properties.enabled()) {
            LOGGER.warn("RL-DISABLED: Rate limits are off, since ratelimit.enabled is false");
        }
        return new Decider(store, properties.enabled(), properties.redis().onFailure());
    }

    @Bean
    RateLimiters rateLimiters(Rules rules, TimeSource timeSource, RateLimitProperties properties) {
        return new DefaultRateLimiters(
                rules, timeSource, properties.enabled(), properties.redis().onFailure());
    }
}
