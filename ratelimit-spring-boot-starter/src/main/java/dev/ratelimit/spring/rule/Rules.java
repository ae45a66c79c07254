package dev.ratelimit.spring.rule;

import dev.ratelimit.RateLimitStore;
import dev.ratelimit.spring.key.RuleKeys;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.convert.DurationStyle;

/** All rules of the application, by name. Rules of annotations come as their beans do. */
public final class Rules implements DisposableBean {

    private static final Log LOGGER = LogFactory.getLog(Rules.class);

    private final RateLimitStore store;
    private final RuleFactory factory;
    private final Map<String, Rule> rules = new ConcurrentSkipListMap<>();
    private final Map<String, Rule> removed = new HashMap<>();
    private final List<RuleListener> listeners = new ArrayList<>();

    /**
     * Makes the rules.
     *
     * @param store where their buckets are
     * @param keys reads their keys
     * @param maxKeys for how many keys each can have buckets
     * @param definitions the rules that are known at start
     * @throws InvalidRuleException if a rule cannot work, or two have one name
     */
    public Rules(
            RateLimitStore store, RuleKeys keys, long maxKeys, List<RuleDefinition> definitions) {
        this.store = store;
        this.factory = new RuleFactory(store, keys, maxKeys);
        definitions.forEach(this::add);
    }

    /**
     * Adds a rule.
     *
     * @param definition its declaration
     * @return the rule
     * @throws InvalidRuleException if it cannot work, or its name is taken
     */
    public synchronized Rule add(RuleDefinition definition) {
        factory.check(definition);
        requireFree(definition, rules.get(definition.name()));
        Rule rule = removed.remove(definition.name());
        if (rule == null) {
            rule = new Rule(factory.open(definition));
        } else {
            rule.revive(factory.open(definition));
        }
        rules.put(definition.name(), rule);
        log(rule);
        for (RuleListener listener : listeners) {
            listener.added(rule);
        }
        return rule;
    }

    private static void requireFree(RuleDefinition definition, @Nullable Rule taken) {
        if (taken != null) {
            throw new InvalidRuleException(
                    definition.where(),
                    "There is a rule named '"
                            + definition.name()
                            + "' already, declared by "
                            + taken.definition().where()
                            + ".",
                    "Rename one of the two.");
        }
    }

    /**
     * Changes rules, adds those that are not there, and removes others. A rule that is used by an
     * annotation and removed admits everything.
     *
     * @param definitions what is to be new or different, all of one source
     * @param removedNames the names of rules that are to be no more
     * @throws InvalidRuleException if one of them cannot work; then nothing has changed
     */
    public synchronized void change(
            Collection<RuleDefinition> definitions, Set<String> removedNames) {
        for (RuleDefinition definition : definitions) {
            factory.check(definition);
            listeners.forEach(listener -> listener.check(definition));
            Rule rule = rules.get(definition.name());
            if (rule != null && rule.definition().source() != definition.source()) {
                requireFree(definition, rule);
            }
        }
        removedNames.forEach(this::remove);
        for (RuleDefinition definition : definitions) {
            Rule rule = rules.get(definition.name());
            if (rule == null) {
                add(definition);
            } else {
                rule.become(factory.change(rule.state(), definition));
                log(rule);
            }
        }
        listeners.forEach(RuleListener::changed);
    }

    private void remove(String name) {
        Rule rule = rules.remove(name);
        if (rule != null) {
            rule.remove();
            removed.put(name, rule);
            LOGGER.info("Rate limit '" + name + "' is removed");
            listeners.forEach(listener -> listener.removed(rule));
        }
    }

    /**
     * Shows all rules to a listener: those there are, and what becomes of them.
     *
     * @param listener is told of each rule once
     */
    public synchronized void listen(RuleListener listener) {
        rules.values().forEach(listener::added);
        listeners.add(listener);
    }

    private static void log(Rule rule) {
        RuleDefinition definition = rule.definition();
        LOGGER.info(
                "Rate limit '"
                        + definition.name()
                        + "' from "
                        + definition.where()
                        + ": "
                        + describe(definition.requests())
                        + definition.limits().stream()
                                .map(Rules::describe)
                                .collect(Collectors.joining(" and "))
                        + " by "
                        + String.join(", ", rule.key().parts())
                        + (rule.limits().maxKeys() == Long.MAX_VALUE
                                ? ""
                                : ", for at most " + rule.limits().maxKeys() + " keys")
                        + (rule.isMode(RuleMode.ENFORCE)
                                ? ""
                                : ", mode " + definition.mode().name().toLowerCase(Locale.ROOT)));
    }

    private static String describe(RuleRequests requests) {
        return (requests.paths().isEmpty() ? "" : requests.paths() + " ")
                + (requests.methods().isEmpty() ? "" : requests.methods() + " ")
                + (requests.phase() == RulePhase.FILTER ? "before Spring Security " : "")
                + (requests.countStatuses().isEmpty()
                        ? ""
                        : "answered with " + new TreeSet<>(requests.countStatuses()) + " ");
    }

    private static String describe(RuleLimit limit) {
        return limit.limit().config().requests()
                + " per "
                + window(limit.limit().config().windowNanos())
                + (limit.limit().config().burst() == limit.limit().config().requests()
                        ? ""
                        : " with burst " + limit.limit().config().burst())
                + " ("
                + limit.strategy()
                + ")";
    }

    /** A length of time as it is written in properties. */
    private static String window(long nanos) {
        Duration window = Duration.ofNanos(nanos);
        for (ChronoUnit unit :
                List.of(
                        ChronoUnit.DAYS,
                        ChronoUnit.HOURS,
                        ChronoUnit.MINUTES,
                        ChronoUnit.SECONDS,
                        ChronoUnit.MILLIS)) {
            if (nanos % unit.getDuration().toNanos() == 0) {
                return DurationStyle.SIMPLE.print(window, unit);
            }
        }
        return DurationStyle.SIMPLE.print(window, ChronoUnit.NANOS);
    }

    /** The rule of that name; null if there is none. */
    public @Nullable Rule find(String name) {
        return rules.get(name);
    }

    /** All rules, by name. */
    public Collection<Rule> all() {
        return Collections.unmodifiableCollection(rules.values());
    }

    public RateLimitStore store() {
        return store;
    }

    @Override
    public void destroy() {
        rules.values().forEach(Rule::close);
    }
}
