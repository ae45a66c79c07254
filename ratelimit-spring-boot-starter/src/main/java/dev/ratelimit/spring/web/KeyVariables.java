package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.Nearest;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The path variables in the key of a rule with paths. */
final class KeyVariables {

    private static final String PREFIX = "path:";

    private static final Pattern DECLARED = Pattern.compile("\\{\\*?([^{}:]+)");

    private KeyVariables() {}

    /**
     * Finds them.
     *
     * @param rule a rule with paths
     * @return their names
     * @throws InvalidRuleException if one is in no path: it would never have a value, and all would
     *     be counted by address
     */
    static Set<String> of(Rule rule) {
        RuleDefinition definition = rule.definition();
        Set<String> declared = new TreeSet<>();
        for (String path : definition.paths()) {
            DECLARED.matcher(path).results().forEach(found -> declared.add(found.group(1)));
        }
        Set<String> names = new TreeSet<>();
        for (String part : rule.key().parts()) {
            if (part.startsWith(PREFIX)) {
                names.add(part.substring(PREFIX.length()));
            }
        }
        for (String name : names) {
            if (!declared.contains(name)) {
                throw new InvalidRuleException(
                        definition.where("key"),
                        "The key '"
                                + PREFIX
                                + name
                                + "' has no value, since no path of the rule has a variable {"
                                + name
                                + "}: "
                                + definition.paths()
                                + "."
                                + Nearest.question(name, declared),
                        "Write {" + name + "} for a part of a path, or correct the key.");
            }
        }
        return names;
    }
}
