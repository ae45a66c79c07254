package dev.ratelimit.spring.rule;

import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.spring.key.Nearest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Makes the limits of rules, wherever they are declared, and explains what is wrong with them. */
public final class RuleLimits {

    private static final List<String> BUILT_IN =
            Arrays.stream(LimitStrategy.values()).map(RuleLimits::name).toList();

    private final ListableBeanFactory beans;

    /**
     * Makes limits.
     *
     * @param beans has the strategies that are not built in
     */
    public RuleLimits(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** What a built-in strategy is called in properties, such as {@code token-bucket}. */
    public static String name(LimitStrategy strategy) {
        return strategy.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The length of a window; what is too long for a Duration is as long as can be. */
    public static Duration window(long window, TimeUnit unit) {
        try {
            return Duration.of(window, unit.toChronoUnit());
        } catch (ArithmeticException e) {
            return Duration.ofSeconds(window < 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
        }
    }

    /**
     * Makes a limit.
     *
     * @param where tells for messages where {@code requests}, {@code window}, {@code burst} or
     *     {@code strategy} is declared: {@code ratelimit.rules.search.requests}, or {@code requests
     *     of @RateLimited on ...}
     * @param requests how many per window
     * @param window how long a window is
     * @param burst how many a full token bucket can give at once; null for as many as requests
     * @param strategy a built-in strategy in any of the usual spellings, or the name of a {@link
     *     RateLimitStrategy} bean
     * @return the limit
     * @throws InvalidRuleException if a value is out of its range, there is no such strategy, or it
     *     cannot work with the numbers
     */
    public RuleLimit limit(
            UnaryOperator<String> where,
            long requests,
            Duration window,
            @Nullable Long burst,
            String strategy) {
        LimitConfig config = config(where, requests, window, burst);
        LimitStrategy builtIn = builtIn(strategy);
        RateLimitStrategy bean = bean(strategy);
        if (builtIn != null && bean != null) {
            throw new InvalidRuleException(
                    where.apply("strategy"),
                    "'" + strategy + "' is a built-in strategy, and a RateLimitStrategy bean too.",
                    "Rename the bean.");
        }
        if (bean != null) {
            return limit(where, config, bean, strategy);
        }
        if (builtIn == null) {
            throw new InvalidRuleException(
                    where.apply("strategy"),
                    "There is no strategy '"
                            + strategy
                            + "'."
                            + Nearest.question(strategy, BUILT_IN),
                    "Use "
                            + String.join(", ", BUILT_IN)
                            + " or the name of a RateLimitStrategy bean"
                            + beanNames());
        }
        if (burst != null && builtIn != LimitStrategy.TOKEN_BUCKET) {
            throw new InvalidRuleException(
                    where.apply("burst"),
                    "The burst is " + burst + ", but strategy " + name(builtIn) + " has none.",
                    "Remove the burst, or set the strategy to token-bucket.");
        }
        return limit(where, config, builtIn.create(), name(builtIn));
    }

    /**
     * Makes a limit of a strategy at hand.
     *
     * @param where as above
     * @param config the numbers
     * @param strategy how to count
     * @return the limit
     * @throws InvalidRuleException if the strategy cannot work with the numbers
     */
    public RuleLimit limit(
            UnaryOperator<String> where, LimitConfig config, RateLimitStrategy strategy) {
        return limit(where, config, strategy, nameOf(strategy));
    }

    private static RuleLimit limit(
            UnaryOperator<String> where,
            LimitConfig config,
            RateLimitStrategy strategy,
            String name) {
        try {
            return new RuleLimit(new Limit(config, strategy), name);
        } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                    where.apply("requests"),
                    "Strategy " + name + " cannot work with these numbers: " + e.getMessage() + ".",
                    "Change the numbers, or use another strategy.");
        }
    }

    /** Tries each number by itself, so that the message can tell which of them is wrong. */
    private static LimitConfig config(
            UnaryOperator<String> where, long requests, Duration window, @Nullable Long burst) {
        String argument = "requests";
        try {
            LimitConfig.of(requests, Duration.ofSeconds(1));
            argument = "window";
            LimitConfig config = LimitConfig.of(requests, window);
            argument = "burst";
            return burst == null ? config : config.withBurst(burst);
        } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                    where.apply(argument),
                    e.getMessage() + ".",
                    "Set it to a value in this range.");
        }
    }

    private static @Nullable LimitStrategy builtIn(String name) {
        String wanted = lettersOf(name);
        for (LimitStrategy strategy : LimitStrategy.values()) {
            if (lettersOf(strategy.name()).equals(wanted)) {
                return strategy;
            }
        }
        return null;
    }

    private static String lettersOf(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    private @Nullable RateLimitStrategy bean(String name) {
        return beans.containsBean(name) && beans.isTypeMatch(name, RateLimitStrategy.class)
                ? beans.getBean(name, RateLimitStrategy.class)
                : null;
    }

    private String beanNames() {
        String[] names = beans.getBeanNamesForType(RateLimitStrategy.class);
        return names.length == 0 ? "." : " (" + String.join(", ", names) + ").";
    }

    private String nameOf(RateLimitStrategy strategy) {
        for (LimitStrategy builtIn : LimitStrategy.values()) {
            if (builtIn.create().getClass() == strategy.getClass()) {
                return name(builtIn);
            }
        }
        for (Map.Entry<String, RateLimitStrategy> bean :
                beans.getBeansOfType(RateLimitStrategy.class).entrySet()) {
            if (bean.getValue() == strategy) {
                return bean.getKey();
            }
        }
        String simpleName = strategy.getClass().getSimpleName();
        return strategy.getClass().isHidden() || simpleName.isEmpty() ? "custom" : simpleName;
    }
}
