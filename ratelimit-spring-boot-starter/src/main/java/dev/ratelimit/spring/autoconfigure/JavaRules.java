package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.spring.RateLimitRules;
import dev.ratelimit.spring.expression.Expressions;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.IpNetworks;
import dev.ratelimit.spring.rule.Permits;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimits;
import dev.ratelimit.spring.rule.RuleMode;
import dev.ratelimit.spring.rule.RulePhase;
import dev.ratelimit.spring.rule.RuleRequests;
import dev.ratelimit.spring.rule.RuleSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Collects the rules that one {@link dev.ratelimit.spring.RateLimitConfigurer} declares. */
final class JavaRules implements RateLimitRules {

    private final String beanName;
    private final RuleLimits ruleLimits;
    private final Expressions expressions;
    private final List<JavaRule> rules = new ArrayList<>();

    /**
     * Starts with no rule.
     *
     * @param beanName the configurer, for messages
     * @param ruleLimits makes their limits
     * @param expressions reads their expressions
     */
    JavaRules(String beanName, RuleLimits ruleLimits, Expressions expressions) {
        this.beanName = beanName;
        this.ruleLimits = ruleLimits;
        this.expressions = expressions;
    }

    @Override
    public Rule rule(String name) {
        JavaRule rule = new JavaRule(name);
        rules.add(rule);
        return rule;
    }

    /** What was declared. */
    List<RuleDefinition> definitions() {
        return rules.stream().map(JavaRule::definition).toList();
    }

    private final class JavaRule implements Rule {

        private final String name;
        private final RuleDefinition.Builder definition;
        private final List<String> paths = new ArrayList<>();
        private final List<String> excludePaths = new ArrayList<>();
        private final List<String> methods = new ArrayList<>();
        private final Set<Integer> countStatuses = new LinkedHashSet<>();
        private RulePhase phase = RulePhase.HANDLER;
        private List<String> key = List.of();

        JavaRule(String name) {
            this.name = name;
            this.definition = RuleDefinition.builder(name, RuleSource.JAVA, where());
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
        public Rule beforeSecurity() {
            phase = RulePhase.FILTER;
            return this;
        }

        @Override
        public Rule countStatus(int... statuses) {
            for (int status : statuses) {
                countStatuses.add(status);
            }
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
            definition.permits(Permits.constant(number));
            return this;
        }

        @Override
        public Rule permits(String expression) {
            definition.permits(expressions.permits(where("permits"), expression));
            return this;
        }

        @Override
        public Rule when(String expression) {
            definition.exempt(expressions.condition(where("when"), expression, false));
            return this;
        }

        @Override
        public Rule unless(String expression) {
            definition.exempt(expressions.condition(where("unless"), expression, true));
            return this;
        }

        @Override
        public Rule exemptIp(String... cidrs) {
            IpNetworks exempt = IpNetworks.parse(List.of(cidrs), i -> where("exemptIp"));
            definition.exempt(caller -> exempt.contains(caller.clientAddress()));
            return this;
        }

        @Override
        public Rule shadow() {
            definition.mode(RuleMode.SHADOW);
            return this;
        }

        @Override
        public Rule limit(long requests, long window, TimeUnit unit, LimitStrategy strategy) {
            definition.limit(
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
            definition.limit(ruleLimits.limit(this::where, config, strategy));
            return this;
        }

        private RuleDefinition definition() {
            return definition
                    .requests(new RuleRequests(paths, excludePaths, methods, phase, countStatuses))
                    .key(key)
                    .build();
        }

        private String where() {
            return "rule '" + name + "' of RateLimitConfigurer '" + beanName + "'";
        }

        private String where(String part) {
            return RuleSource.JAVA.where(where(), part);
        }
    }
}
