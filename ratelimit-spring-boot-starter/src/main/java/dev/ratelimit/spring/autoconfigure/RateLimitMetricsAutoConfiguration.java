package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.metrics.RateLimitMeters;
import dev.ratelimit.spring.metrics.StoreLatencyMeter;
import dev.ratelimit.spring.redis.RedisStore;
import dev.ratelimit.spring.rule.Rules;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Meters. They need Micrometer only: without a registry they do nothing. */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
public final class RateLimitMetricsAutoConfiguration {

    @Bean
    RateLimitMeters rateLimitMeters(
            Rules rules, TimeSource timeSource, RateLimitProperties properties) {
        return new RateLimitMeters(rules, timeSource, properties.metrics().bucketGauges());
    }

    /** Apart, since it needs Spring Data Redis to be read. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    static class OfRedis {

        @Bean
        @ConditionalOnBean(RedisStore.class)
        StoreLatencyMeter rateLimitStoreLatencyMeter(RedisStore store) {
            return new StoreLatencyMeter(store.name(), listener -> store.tell(listener::took));
        }
    }
}
