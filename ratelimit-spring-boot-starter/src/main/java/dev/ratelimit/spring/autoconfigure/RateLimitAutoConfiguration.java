package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.key.RuleKeys;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.Rules;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The rules and what decides by them; everything else builds on these beans. */
@AutoConfiguration
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TimeSource rateLimitTimeSource() {
        return TimeSource.system();
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimitStore rateLimitStore(TimeSource timeSource) {
        return new InMemoryStore(timeSource);
    }

    @Bean
    Rules rateLimitRules(RateLimitStore store, RuleKeys keys, RateLimitProperties properties) {
        return new Rules(store, keys, properties.inMemory().maxKeys(), List.of());
    }

    @Bean
    Decider rateLimitDecider(RateLimitStore store, RateLimitProperties properties) {
        return new Decider(store, properties.enabled());
    }
}
