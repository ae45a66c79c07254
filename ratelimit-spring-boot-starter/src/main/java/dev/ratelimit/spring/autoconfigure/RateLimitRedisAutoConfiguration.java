package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.redis.RedisStore;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.util.Locale;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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

    private static final Log LOGGER = LogFactory.getLog(RateLimitRedisAutoConfiguration.class);

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
        LOGGER.info(
                "Rate limits are kept in Redis, under keys that begin with '"
                        + redis.keyPrefix()
                        + "'; a decision takes at most "
                        + redis.timeout().toMillis()
                        + "ms, and without Redis on-failure is "
                        + redis.onFailure().name().toLowerCase(Locale.ROOT));
        return RedisStore.open(
                connection, redis.keyPrefix(), redis.timeout(), new InMemoryStore(timeSource));
    }
}
