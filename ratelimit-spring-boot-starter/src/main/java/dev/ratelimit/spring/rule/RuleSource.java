package dev.ratelimit.spring.rule;

/** Where a rule was declared. */
public enum RuleSource {
    PROPERTIES,
    ANNOTATION,
    JAVA
}
