package dev.ratelimit.spring.rule;

/** Where a rule was declared. */
public enum RuleSource {
    PROPERTIES,
    ANNOTATION,
    JAVA;

    /**
     * Where a part of a rule is declared, for messages.
     *
     * @param rule where the rule is
     * @param part such as {@code requests}
     * @return {@code ratelimit.rules.search.requests}, or {@code requests of @RateLimited on ...}
     */
    public String where(String rule, String part) {
        return this == PROPERTIES ? rule + "." + part : part + " of " + rule;
    }
}
