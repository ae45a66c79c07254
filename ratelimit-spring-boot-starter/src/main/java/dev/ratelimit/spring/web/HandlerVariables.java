package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.HandlerRules;
import dev.ratelimit.spring.rule.Rule;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Stops the start if a rule of handler methods counts by a path variable that none of them has: it
 * would never have a value, and all would be counted by address.
 */
public final class HandlerVariables implements SmartInitializingSingleton {

    private final HandlerRules rules;
    private final ListableBeanFactory beans;

    /**
     * Makes this.
     *
     * @param rules the rules of handler methods
     * @param beans has the handler mappings
     */
    public HandlerVariables(HandlerRules rules, ListableBeanFactory beans) {
        this.rules = rules;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<Rule, Set<String>> patterns = new HashMap<>();
        BeanFactoryUtils.beansOfTypeIncludingAncestors(
                        beans, RequestMappingInfoHandlerMapping.class, true, false)
                .values()
                .forEach(
                        mapping ->
                                mapping.getHandlerMethods()
                                        .forEach((info, handler) -> add(info, handler, patterns)));
        patterns.forEach((rule, each) -> KeyVariables.of(rule.definition(), each));
    }

    private void add(
            RequestMappingInfo info, HandlerMethod handler, Map<Rule, Set<String>> patterns) {
        for (Rule rule : rules.of(handler.getMethod(), handler.getBeanType())) {
            if (rule.definition().requests().paths().isEmpty()) {
                patterns.computeIfAbsent(rule, added -> new TreeSet<>())
                        .addAll(info.getPatternValues());
            }
        }
    }
}
