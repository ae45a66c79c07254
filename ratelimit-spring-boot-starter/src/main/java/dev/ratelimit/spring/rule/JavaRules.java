package dev.ratelimit.spring.rule;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.spring.RateLimitRules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Collects the rules that one {@link dev.ratelimit.spring.RateLimitConfigurer} declares. */
public final class JavaRules implements RateLimitRules {

    private final String beanName;
    private final RuleLimits ruleLimits;
    private final List<JavaRule> rules = new ArrayList<>();

    /**
     * Starts with no rule.
     *
     * @param beanName the configurer, for messages
     * @param ruleLimits makes their limits
     */
    public JavaRules(String beanName, RuleLimits ruleLimits) {
        this.beanName = beanName;
        this.ruleLimits = ruleLimits;
    }

    @Override
    public Rule rule(String name) {
        JavaRule rule = new JavaRule(name);
        rules.add(rule);
        return rule;
    }

    /** What was declared. */
    public List<RuleDefinition> definitions() {
        return rules.stream().map(JavaRule::definition).toList();
    }

    private final class JavaRule implements Rule {

        private final String name;
        private final List<String> paths = new ArrayList<>();
        private final List<String> excludePaths = new ArrayList<>();
        private final List<String> methods = new ArrayList<>();
        private final List<RuleLimit> limits = new ArrayList<>();
        private List<String> key = List.of();
        private long permits = 1;

        JavaRule(String name) {
            this.name = name;
        }

        @Override
        public Rule path(String... patterns) {
            paths.addAll(List.of(patterns));
            return this;
        }

        @Override
        public Rule excludePath(String... patterns) {
            excludePaths.addAll(List.of(patterns));
            return this;
        }

        @Override
        public Rule method(String... names) {
            methods.addAll(List.of(names));
            return this;
        }

        @Override
        public Rule key(String... parts) {
            List<String> other = List.of(parts);
            if (!key.isEmpty() && !key.equals(other)) {
                throw new InvalidRuleException(
                        where("key"),
                        "The key is " + key + " already, and cannot be " + other + " too.",
                        "Count by several at once with key(\"ip\", \"user\"), or declare one rule for"
                                + " each key.");
            }
            key = other;
            return this;
        }

        @Override
        public Rule permits(long number) {
            permits = number;
            return this;
        }

        @Override
        public Rule limit(long requests, long window, TimeUnit unit, LimitStrategy strategy) {
            limits.add(
                    ruleLimits.limit(
                            this::where,
                            requests,
                            RuleLimits.window(window, unit),
                            null,
                            RuleLimits.name(strategy)));
            return this;
        }

        @Override
        public Rule limit(LimitConfig config, RateLimitStrategy strategy) {
            limits.add(ruleLimits.limit(this::where, config, strategy));
            return this;
        }

        private RuleDefinition definition() {
            return new RuleDefinition(
                    name,
                    name,
                    RuleSource.JAVA,
                    where(),
                    paths,
                    excludePaths,
                    methods,
                    key,
                    permits,
                    limits);
        }

        private String where() {
            return "rule '" + name + "' of RateLimitConfigurer '" + beanName + "'";
        }

        private String where(String part) {
            return RuleSource.JAVA.where(where(), part);
        }
    }
}
