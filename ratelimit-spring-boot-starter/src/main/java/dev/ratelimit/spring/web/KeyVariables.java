package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.Nearest;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.RuleDefinition;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The path variables in the key of a rule. */
final class KeyVariables {

    private static final String PREFIX = "path:";

    private static final Pattern DECLARED = Pattern.compile("\\{\\*?([^{}:]+)");

    private KeyVariables() {}

    /**
     * Finds them.
     *
     * @param definition a rule with paths
     * @return their names
     * @throws InvalidRuleException if one is in no path: it would never have a value, and all would
     *     be counted by address
     */
    static Set<String> of(RuleDefinition definition) {
        return of(definition, definition.requests().paths());
    }

    /**
     * Finds them.
     *
     * @param definition a rule
     * @param paths those of the requests that it counts
     * @return their names
     * @throws InvalidRuleException if one is in no path
     */
    static Set<String> of(RuleDefinition definition, Collection<String> paths) {
        Set<String> declared = new TreeSet<>();
        for (String path : paths) {
            DECLARED.matcher(path).results().forEach(found -> declared.add(found.group(1)));
        }
        Set<String> names = new TreeSet<>();
        for (String part : definition.key()) {
            String written = part.strip();
            if (written.startsWith(PREFIX)) {
                names.add(written.substring(PREFIX.length()).strip());
            }
        }
        for (String name : names) {
            if (!declared.contains(name)) {
                throw new InvalidRuleException(
                        definition.where("key"),
                        "The key '"
                                + PREFIX
                                + name
                                + "' has no value, since no path that the rule counts has a"
                                + " variable {"
                                + name
                                + "}: "
                                + paths
                                + "."
                                + Nearest.question(name, declared),
                        "Write {" + name + "} for a part of a path, or correct the key.");
            }
        }
        return names;
    }
}
