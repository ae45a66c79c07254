package dev.ratelimit.spring.rule;

import dev.ratelimit.KeyedLimits;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.spring.key.PlanSelector;
import dev.ratelimit.spring.key.RuleKey;
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
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
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
    private final RuleKeys keys;
    private final long maxKeys;
    private final Map<String, Rule> rules = new ConcurrentSkipListMap<>();
    private final List<Consumer<Rule>> listeners = new ArrayList<>();

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
        this.keys = keys;
        this.maxKeys = maxKeys;
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
        RuleChecks.check(definition);
        Rule taken = rules.get(definition.name());
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
        RuleKey key;
        try {
            key = keys.parse(definition.key(), definition.keyExpressions());
        } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                    definition.where("key"),
                    String.valueOf(e.getMessage()),
                    "Correct the key of this rule.");
        }
        Rule rule =
                new Rule(
                        definition,
                        key,
                        plan(definition),
                        open(definition.name(), definition.limits()),
                        openPlans(definition));
        rules.put(definition.name(), rule);
        log(rule);
        listeners.forEach(listener -> listener.accept(rule));
        return rule;
    }

    private PlanSelector plan(RuleDefinition definition) {
        RulePlans plans = definition.plans();
        if (plans == null) {
            return caller -> null;
        }
        try {
            return keys.parsePlan(plans.selector());
        } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                    definition.where("plan"),
                    String.valueOf(e.getMessage()),
                    "Correct the plan of this rule.");
        }
    }

    private Map<String, KeyedLimits> openPlans(RuleDefinition definition) {
        RulePlans plans = definition.plans();
        Map<String, KeyedLimits> opened = new HashMap<>();
        if (plans != null) {
            plans.limits()
                    .forEach((name, limits) -> opened.put(name, open(definition.name(), limits)));
        }
        return Map.copyOf(opened);
    }

    private KeyedLimits open(String name, List<RuleLimit> limits) {
        return store.open(name, limits.stream().map(RuleLimit::limit).toList(), maxKeys);
    }

    /**
     * Shows all rules to a listener: those there are, and each that is added.
     *
     * @param listener is told of each rule once
     */
    public synchronized void onAdd(Consumer<Rule> listener) {
        rules.values().forEach(listener);
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
                        + ", for at most "
                        + rule.limits().maxKeys()
                        + " keys"
                        + (rule.isMode(RuleMode.ENFORCE)
                                ? ""
                                : ", mode " + definition.mode().name().toLowerCase(Locale.ROOT)));
    }

    private static String describe(RuleRequests requests) {
        return (requests.paths().isEmpty() ? "" : requests.paths() + " ")
                + (requests.methods().isEmpty() ? "" : requests.methods() + " ");
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
