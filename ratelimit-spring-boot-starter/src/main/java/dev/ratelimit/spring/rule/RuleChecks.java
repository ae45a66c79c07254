package dev.ratelimit.spring.rule;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What must hold of every rule, wherever it is declared. */
final class RuleChecks {

    private static final Pattern ANNOTATION_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private static final Set<String> METHODS =
            new TreeSet<>(
                    Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"));

    private RuleChecks() {}

    static void check(RuleDefinition definition) {
        checkName(definition);
        checkMethods(definition);
        checkPhase(definition);
        checkStatuses(definition);
        checkLimits(definition);
        checkPermits(definition);
    }

    private static void checkName(RuleDefinition definition) {
        boolean annotation = definition.source() == RuleSource.ANNOTATION;
        boolean valid =
                annotation
                        ? ANNOTATION_NAME.matcher(definition.name()).matches()
                        : RuleNames.isValid(definition.name());
        if (!valid) {
            throw new InvalidRuleException(
                    definition.where(),
                    "'" + definition.name() + "' cannot be the name of a rule.",
                    annotation
                            ? "Use 1 to 64 characters of A-Z a-z 0-9 . _ - for its name."
                            : RuleNames.ACTION);
        }
    }

    private static void checkMethods(RuleDefinition definition) {
        for (String method : definition.requests().methods()) {
            if (!METHODS.contains(method)) {
                throw new InvalidRuleException(
                        definition.where("methods"),
                        "There is no HTTP method '" + method + "'.",
                        "Use some of " + String.join(", ", METHODS) + ".");
            }
        }
    }

    private static void checkPhase(RuleDefinition definition) {
        if (definition.requests().phase() != RulePhase.FILTER) {
            return;
        }
        if (definition.key().stream().anyMatch(RuleChecks::isUser)) {
            throw userInFilter(definition, "key");
        }
        if (definition.plans() != null && isUser(definition.plans().selector())) {
            throw userInFilter(definition, "plan");
        }
    }

    private static boolean isUser(String part) {
        return part.strip().equals("user");
    }

    private static InvalidRuleException userInFilter(RuleDefinition definition, String part) {
        return new InvalidRuleException(
                definition.where(part),
                "The "
                        + part
                        + " of the rule '"
                        + definition.name()
                        + "' is the user, but the rule is decided in the filter phase, before Spring"
                        + " Security knows who that is.",
                "Remove the phase to decide after Spring Security, or use another "
                        + part
                        + (part.equals("key") ? ", such as ip." : ", such as bean:NAME."));
    }

    private static void checkStatuses(RuleDefinition definition) {
        for (int status : definition.requests().countStatuses()) {
            if (status < 200 || status > 599) {
                throw new InvalidRuleException(
                        definition.where("count-statuses"),
                        "No response has the status " + status + ".",
                        "Use statuses from 200 to 599, such as 401 and 403.");
            }
        }
    }

    private static void checkLimits(RuleDefinition definition) {
        if (definition.limits().isEmpty()) {
            throw new InvalidRuleException(
                    definition.where(),
                    "The rule '" + definition.name() + "' has no limit.",
                    "Give it at least one limit.");
        }
    }

    private static void checkPermits(RuleDefinition definition) {
        OptionalLong constant = definition.permits().constant();
        if (constant.isEmpty()) {
            return;
        }
        long permits = constant.getAsLong();
        if (permits < 1) {
            throw new InvalidRuleException(
                    definition.where("permits"),
                    "permits must be at least 1: " + permits + ".",
                    "Set it to what one request costs; 1 is the default.");
        }
        checkCapacity(definition, permits, definition.limits());
        if (definition.plans() != null) {
            definition
                    .plans()
                    .limits()
                    .values()
                    .forEach(limits -> checkCapacity(definition, permits, limits));
        }
    }

    private static void checkCapacity(
            RuleDefinition definition, long permits, List<RuleLimit> limits) {
        for (RuleLimit limit : limits) {
            long capacity = limit.limit().config().burst();
            if (permits > capacity) {
                throw new InvalidRuleException(
                        definition.where("permits"),
                        "A request costs "
                                + permits
                                + " permits, but a limit never has more than "
                                + capacity
                                + ", so that no request would ever be admitted.",
                        "Lower the permits, or raise the requests or the burst of the limit to at"
                                + " least "
                                + permits
                                + ".");
            }
        }
    }
}
