package dev.ratelimit.spring.rule;

import dev.ratelimit.KeyedLimits;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.spring.key.PlanSelector;
import dev.ratelimit.spring.key.RuleKey;
import dev.ratelimit.spring.key.RuleKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes of a definition what works. */
final class RuleFactory {

    private final RateLimitStore store;
    private final RuleKeys keys;
    private final long maxKeys;

    RuleFactory(RateLimitStore store, RuleKeys keys, long maxKeys) {
        this.store = store;
        this.keys = keys;
        this.maxKeys = maxKeys;
    }

    /**
     * Finds out whether a rule can work.
     *
     * @throws InvalidRuleException if it cannot
     */
    void check(RuleDefinition definition) {
        RuleChecks.check(definition);
        checkStore(definition, definition.limits());
        plans(definition).values().forEach(limits -> checkStore(definition, limits));
        key(definition);
        plan(definition);
    }

    private void checkStore(RuleDefinition definition, List<RuleLimit> limits) {
        for (RuleLimit limit : limits) {
            try {
                store.check(limit.limit());
            } catch (IllegalArgumentException e) {
                throw new InvalidRuleException(
                        definition.where(),
                        e.getMessage() + ".",
                        "Change this limit, or keep all limits in memory with ratelimit.store:"
                                + " in-memory.");
            }
        }
    }

    /** Opens the buckets of a new rule. */
    RuleState open(RuleDefinition definition) {
        return state(definition, null);
    }

    /**
     * Changes a rule. What a key has spent stays spent under limits that only differ in numbers.
     */
    RuleState change(RuleState from, RuleDefinition to) {
        RuleState changed = state(to, from);
        if (changed.limits() != from.limits()) {
            from.limits().close();
        }
        from.limitsOfPlans()
                .forEach(
                        (name, limits) -> {
                            if (changed.limitsOfPlans().get(name) != limits) {
                                limits.close();
                            }
                        });
        return changed;
    }

    private RuleState state(RuleDefinition definition, @Nullable RuleState from) {
        Map<String, KeyedLimits> ofPlans = new HashMap<>();
        plans(definition)
                .forEach(
                        (name, limits) ->
                                ofPlans.put(
                                        name,
                                        limits(
                                                definition,
                                                limits,
                                                from == null
                                                        ? null
                                                        : from.limitsOfPlans().get(name),
                                                from == null
                                                        ? null
                                                        : plans(from.definition()).get(name))));
        KeyedLimits own =
                limits(
                        definition,
                        definition.limits(),
                        from == null ? null : from.limits(),
                        from == null ? null : from.definition().limits());
        return new RuleState(definition, key(definition), plan(definition), own, ofPlans);
    }

    private static Map<String, List<RuleLimit>> plans(RuleDefinition definition) {
        return definition.plans() == null ? Map.of() : definition.plans().limits();
    }

    private KeyedLimits limits(
            RuleDefinition definition,
            List<RuleLimit> limits,
            @Nullable KeyedLimits opened,
            @Nullable List<RuleLimit> before) {
        if (opened != null && before != null && haveSameStrategies(before, limits)) {
            if (configs(before).equals(configs(limits))) {
                return opened;
            }
            if (limits.size() == 1) {
                opened.update(limits.get(0).limit().config());
                return opened;
            }
        }
        return store.open(
                definition.name(), limits.stream().map(RuleLimit::limit).toList(), maxKeys);
    }

    private static boolean haveSameStrategies(List<RuleLimit> some, List<RuleLimit> others) {
        return some.stream()
                .map(RuleLimit::strategy)
                .toList()
                .equals(others.stream().map(RuleLimit::strategy).toList());
    }

    private static List<LimitConfig> configs(List<RuleLimit> limits) {
        return limits.stream().map(limit -> limit.limit().config()).toList();
    }

    private RuleKey key(RuleDefinition definition) {
        try {
            return keys.parse(definition.key(), definition.keyExpressions());
        } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                    definition.where("key"),
                    String.valueOf(e.getMessage()),
                    "Correct the key of this rule.");
        }
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
}
