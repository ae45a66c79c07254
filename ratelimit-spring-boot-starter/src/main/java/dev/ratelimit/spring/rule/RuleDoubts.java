package dev.ratelimit.spring.rule;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/** Says of each rule that works, but may not do what is meant; once, when all rules are known. */
public final class RuleDoubts implements ApplicationListener<ContextRefreshedEvent> {

    private static final Log LOGGER = LogFactory.getLog(RuleDoubts.class);

    private static final Set<String> HASHED = Set.of("header", "cookie", "query", "session");

    private static final Set<String> CHOSEN_BY_CLIENT = Set.of("header", "cookie", "query", "path");

    private final Rules rules;
    private final boolean hashesAlone;
    private final boolean trustsProxies;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * Makes this.
     *
     * @param rules those to doubt
     * @param hashesAlone whether each instance hashes secrets in a way of its own, but shares its
     *     buckets with others
     * @param trustsProxies whether there are trusted proxies, of whom alone a plan is believed
     */
    public RuleDoubts(Rules rules, boolean hashesAlone, boolean trustsProxies) {
        this.rules = rules;
        this.hashesAlone = hashesAlone;
        this.trustsProxies = trustsProxies;
    }

    /** Also called for contexts below this one, such as that of a management port. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (!told.getAndSet(true)) {
            rules.all().forEach(this::doubt);
        }
    }

    private void doubt(Rule rule) {
        if (rule.isMode(RuleMode.OFF)) {
            return;
        }
        doubtHash(rule);
        doubtPlan(rule);
        if (!rule.isUsed()) {
            LOGGER.warn(
                    "RL-UNUSED-RULE: Nothing uses the rate limit "
                            + named(rule)
                            + " so far: it has no paths, no @RateLimited names it, and RateLimiters"
                            + " was not asked for it. Give it paths, or remove it; code that will"
                            + " ask for it can do so at start, and keep the answer");
        } else if (isChosenByClient(rule) && !isCovered(rule)) {
            LOGGER.warn(
                    "RL-CLIENT-CHOSEN-KEY: The rate limit "
                            + named(rule)
                            + " counts by "
                            + String.join(", ", rule.key().parts())
                            + ", which a client can choose anew for each request, so that it never"
                            + " reaches the limit. Add a second rule for the same requests that"
                            + " counts by ip");
        }
    }

    private void doubtHash(Rule rule) {
        if (hashesAlone && rule.key().parts().stream().anyMatch(RuleDoubts::isHashed)) {
            LOGGER.warn(
                    "RL-RANDOM-HASH: The rate limit "
                            + named(rule)
                            + " counts by "
                            + String.join(", ", rule.key().parts())
                            + ", of which Redis gets a hash, and each instance hashes with a random"
                            + " secret: the instances do not share this limit. Set"
                            + " ratelimit.hash-secret to the same text in all of them");
        }
    }

    private void doubtPlan(Rule rule) {
        RulePlans plans = rule.definition().plans();
        if (!trustsProxies && plans != null && plans.selector().strip().startsWith("header:")) {
            LOGGER.warn(
                    "RL-UNTRUSTED-PLAN: The rate limit "
                            + named(rule)
                            + " has the plan "
                            + plans.selector()
                            + ", which is believed from trusted proxies only, and there are none:"
                            + " its plans never apply. Set ratelimit.client-ip.trusted-proxies, or"
                            + " let a bean tell the plan");
        }
    }

    private static boolean isHashed(String part) {
        return HASHED.contains(part.split(":", 2)[0]);
    }

    private static String named(Rule rule) {
        return "'" + rule.name() + "' (" + rule.definition().where() + ")";
    }

    private static boolean isChosenByClient(Rule rule) {
        return rule.key().parts().stream()
                .allMatch(part -> CHOSEN_BY_CLIENT.contains(part.split(":", 2)[0]));
    }

    /** Whether what a client can choose is limited by another rule. */
    private boolean isCovered(Rule rule) {
        return rules.all().stream()
                .anyMatch(
                        other ->
                                !isChosenByClient(other)
                                        && covers(other.definition(), rule.definition()));
    }

    private static boolean covers(RuleDefinition other, RuleDefinition rule) {
        if (rule.requests().paths().isEmpty()) {
            // Another annotation on the same method.
            return other.where().equals(rule.where());
        }
        return (other.requests().paths().contains("/**")
                        || other.requests().paths().containsAll(rule.requests().paths()))
                && rule.requests().excludePaths().containsAll(other.requests().excludePaths())
                && hasMethodsOf(other.requests().methods(), rule.requests().methods());
    }

    /** No methods are all methods. */
    private static boolean hasMethodsOf(List<String> methods, List<String> others) {
        return methods.isEmpty() || (!others.isEmpty() && methods.containsAll(others));
    }
}
