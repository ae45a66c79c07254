package dev.ratelimit.spring.rule;

import java.lang.reflect.Method;
import java.util.List;

/** The rules that annotations give to the handler methods of controllers. */
@FunctionalInterface
public interface HandlerRules {

    /**
     * Finds the rules of a handler method that are decided before it is called, and not by advice.
     * Called for each request.
     *
     * @param method the method
     * @param type the class of the controller, without proxies
     * @return its rules, in the order of the annotations; mostly none
     */
    List<Rule> of(Method method, Class<?> type);
}
