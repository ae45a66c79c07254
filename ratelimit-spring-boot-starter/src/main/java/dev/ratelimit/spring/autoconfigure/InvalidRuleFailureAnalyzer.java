package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.rule.InvalidRuleException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains why the application did not start. It comes before the analyzers of Spring Boot, which
 * would explain the failed binding or bean creation around the exception.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidRuleFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRuleException> {

    private final Environment environment;

    InvalidRuleFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidRuleException cause) {
        return new FailureAnalysis(
                "The rate limits of this application cannot work.\n\n    "
                        + cause.where()
                        + origin(cause.where())
                        + "\n    "
                        + cause.problem(),
                cause.action(),
                cause);
    }

    /** Where the property is written; empty if that is not known, or it is no property. */
    private String origin(String where) {
        if (!where.startsWith("ratelimit.")) {
            return "";
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(where, '.');
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null && property.getOrigin() != null) {
                return " (" + property.getOrigin() + ")";
            }
        }
        return "";
    }
}
