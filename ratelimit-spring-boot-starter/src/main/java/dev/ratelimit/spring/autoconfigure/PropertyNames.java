package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.autoconfigure.RateLimitProperties.RuleProperties;
import dev.ratelimit.spring.key.Nearest;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses properties that nothing would read, before any are bound. Binding ignores what it does
 * not know, and drops the characters of a name that it does not like: {@code /api/**} becomes
 * {@code api}. Only the property sources know what was written.
 */
final class PropertyNames implements BeanFactoryPostProcessor {

    /** Others, such as RATELIMIT_PORT, may come from a container platform and mean a service. */
    private static final String VARIABLE_PREFIX = "RATELIMIT_RULES_";

    private static final Pattern VARIABLE_SUFFIX =
            Pattern.compile(PropertySchema.pattern(RuleProperties.class));

    private final ConfigurableEnvironment environment;

    PropertyNames(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        check();
    }

    /**
     * Checks all names.
     *
     * @throws InvalidRuleException if nothing would read one
     */
    void check() {
        Map<String, String> rules = new HashMap<>();
        Set<String> variables = new HashSet<>();
        forEachProperty(
                (source, name) -> {
                    if (isVariable(source, name)) {
                        variables.add(name);
                    } else {
                        check(source, name, rules);
                    }
                });
        variables.forEach(variable -> checkVariable(variable, rules.keySet()));
    }

    private void forEachProperty(BiConsumer<PropertySource<?>, String> consumer) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                for (String name : enumerable.getPropertyNames()) {
                    consumer.accept(source, name);
                }
            }
        }
    }

    private static boolean isVariable(PropertySource<?> source, String name) {
        return source instanceof SystemEnvironmentPropertySource && name.indexOf('.') < 0;
    }

    private static void check(PropertySource<?> source, String name, Map<String, String> rules) {
        if (!name.regionMatches(true, 0, "rate", 0, 4)) {
            return;
        }
        Object value = source.getProperty(name);
        String rule = PropertySchema.check(name, value == null ? "" : value);
        if (rule == null) {
            return;
        }
        String other = rules.putIfAbsent(PropertySchema.uniform(rule), rule);
        if (other != null && !other.equals(rule)) {
            throw new InvalidRuleException(
                    name,
                    "Spring Boot cannot tell the rules '"
                            + rule
                            + "' and '"
                            + other
                            + "' apart, since dashes do not count.",
                    "Rename one of the two, or write the name of the one in the same way everywhere.");
        }
    }

    /** A dash in a name is left out in a variable, or in an older style an underscore. */
    private static void checkVariable(String variable, Set<String> rules) {
        if (!variable.toUpperCase(Locale.ROOT).startsWith(VARIABLE_PREFIX)) {
            return;
        }
        String rest = variable.substring(VARIABLE_PREFIX.length());
        String[] parts = rest.split("_", 2);
        String uniform = PropertySchema.uniform(rest);
        if (isPropertyOf(PropertySchema.uniform(parts[0]), uniform)
                || rules.stream().anyMatch(rule -> isPropertyOf(rule, uniform))) {
            return;
        }
        List<String> known = PropertySchema.names(RuleProperties.class);
        throw new InvalidRuleException(
                variable,
                "This environment variable sets no property of a rule."
                        + Nearest.question(parts[parts.length - 1].replace('_', '-'), known),
                "Write RATELIMIT_RULES_<NAME>_<PROPERTY> without the dashes of either, with one of "
                        + String.join(", ", known)
                        + ".");
    }

    private static boolean isPropertyOf(String rule, String uniform) {
        return uniform.startsWith(rule)
                && VARIABLE_SUFFIX.matcher(uniform.substring(rule.length())).matches();
    }
}
