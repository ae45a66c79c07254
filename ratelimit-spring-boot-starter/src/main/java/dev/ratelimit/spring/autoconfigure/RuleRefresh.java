package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.autoconfigure.RateLimitProperties.RuleProperties;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.Rules;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the rules again when Spring Cloud says that the environment has changed. A rule of which
 * nothing is written differently keeps all it has; if a rule cannot work, all stay as they are.
 */
final class RuleRefresh implements ApplicationListener<ApplicationEvent> {

    private static final Log LOGGER = LogFactory.getLog(RuleRefresh.class);

    /** By name, since applications without Spring Cloud do not have it. */
    private static final String ENVIRONMENT_CHANGE =
            "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private final ConfigurableEnvironment environment;
    private final PropertyNames names;
    private final PropertyRules reader;
    private final Rules rules;
    private Map<String, RuleProperties> current;

    RuleRefresh(
            ConfigurableEnvironment environment,
            PropertyNames names,
            PropertyRules reader,
            Rules rules,
            Map<String, RuleProperties> current) {
        this.environment = environment;
        this.names = names;
        this.reader = reader;
        this.rules = rules;
        this.current = current;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event.getClass().getName().equals(ENVIRONMENT_CHANGE)) {
            refresh();
        }
    }

    private synchronized void refresh() {
        try {
            names.check();
            Map<String, RuleProperties> written =
                    Binder.get(environment)
                            .bindOrCreate("ratelimit", RateLimitProperties.class)
                            .rules();
            if (!written.equals(current)) {
                change(written);
            }
        } catch (InvalidRuleException | BindException e) {
            LOGGER.error(
                    "RL-REFRESH: The rate limits stay as they were, since those of the changed"
                            + " environment cannot work",
                    e);
        }
    }

    private void change(Map<String, RuleProperties> written) {
        Set<String> removed = new HashSet<>(current.keySet());
        removed.removeAll(written.keySet());
        Map<String, RuleProperties> changed = new HashMap<>(written);
        changed.entrySet().removeIf(rule -> rule.getValue().equals(current.get(rule.getKey())));
        List<RuleDefinition> definitions =
                reader.read(written).stream()
                        .filter(definition -> changed.containsKey(definition.name()))
                        .toList();
        rules.change(definitions, removed);
        current = written;
    }
}
