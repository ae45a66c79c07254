package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.metrics.RateLimitMeters;
import dev.ratelimit.spring.rule.Rules;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Meters. They need Micrometer only: without a registry they do nothing. */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
public final class RateLimitMetricsAutoConfiguration {

    @Bean
    RateLimitMeters rateLimitMeters(
            Rules rules, TimeSource timeSource, RateLimitProperties properties) {
        return new RateLimitMeters(rules, timeSource, properties.metrics().bucketGauges());
    }
}
