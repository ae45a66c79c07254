package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.actuate.RateLimitEndpoint;
import dev.ratelimit.spring.rule.Rules;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The endpoint. */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
public final class RateLimitEndpointAutoConfiguration {

    /** The condition stands here, since it needs Actuator to be evaluated. */
    @Bean
    @ConditionalOnAvailableEndpoint(RateLimitEndpoint.class)
    RateLimitEndpoint rateLimitEndpoint(Rules rules, RateLimiters limiters) {
        return new RateLimitEndpoint(rules, limiters);
    }
}
