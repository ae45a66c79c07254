package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.RateLimitConfigurer;
import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimits;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;

/** The rules that are declared in properties and in Java, which are known before any request. */
final class DeclaredRules {

    /** By name, since it needs classes that an application without MVC does not have. */
    private static final String WEB =
            "dev.ratelimit.spring.autoconfigure.RateLimitWebAutoConfiguration";

    private DeclaredRules() {}

    static List<RuleDefinition> read(
            RateLimitProperties properties,
            PropertyRules propertyRules,
            RuleLimits ruleLimits,
            Expressions expressions,
            ListableBeanFactory beans) {
        List<RuleDefinition> definitions = new ArrayList<>(propertyRules.read(properties.rules()));
        beans.getBeansOfType(RateLimitConfigurer.class)
                .forEach(
                        (name, configurer) -> {
                            JavaRules rules = new JavaRules(name, ruleLimits, expressions);
                            configurer.configure(rules);
                            definitions.addAll(rules.definitions());
                        });
        if (!beans.containsBeanDefinition(WEB)) {
            definitions.forEach(DeclaredRules::requireNoPaths);
        }
        return definitions;
    }

    private static void requireNoPaths(RuleDefinition definition) {
        List<String> paths = definition.requests().paths();
        if (!paths.isEmpty()) {
            throw new InvalidRuleException(
                    definition.where("paths"),
                    "The rule '"
                            + definition.name()
                            + "' has paths "
                            + paths
                            + ", but this is not a servlet web application with Spring MVC, so that"
                            + " they would never apply.",
                    "Remove the paths and use the rule by @RateLimited(\""
                            + definition.name()
                            + "\"), or add spring-boot-starter-webmvc.");
        }
    }
}
