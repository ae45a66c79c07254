package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.redis.RedisStore;
import dev.ratelimit.spring.rule.InvalidRuleException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The store in Redis, over the application's own connection. */
@AutoConfiguration(
        before = RateLimitAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnProperty(name = "ratelimit.store", havingValue = "redis")
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitRedisAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(RateLimitStore.class)
    RedisStore rateLimitStore(
            RateLimitProperties properties,
            ObjectProvider<RedisConnectionFactory> connections,
            TimeSource timeSource) {
        RedisConnectionFactory connection = connections.getIfUnique();
        if (connection == null) {
            throw new InvalidRuleException(
                    "ratelimit.store",
                    "The store is redis, but there is no RedisConnectionFactory, or several.",
                    "Add the dependency org.springframework.boot:spring-boot-starter-data-redis; of"
                            + " several factories, mark one as @Primary.");
        }
        RateLimitProperties.Redis redis = properties.redis();
        return RedisStore.open(
                connection, redis.keyPrefix(), redis.timeout(), new InMemoryStore(timeSource));
    }
}
