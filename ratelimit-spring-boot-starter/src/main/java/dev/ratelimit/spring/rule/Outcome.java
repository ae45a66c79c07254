package dev.ratelimit.spring.rule;

import java.util.Locale;

/** What became of a call, as far as one rule is concerned. */
public enum Outcome {
    ALLOWED,
    REJECTED,
    /** A rule that only watches would have rejected it. */
    SHADOW_REJECTED,
    /** It was not to be counted. */
    EXEMPT,
    /** The store did not answer, and the rule's {@code on-failure} was followed. */
    STORE_FAILURE;

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** As it is written in tags. */
    @Override
    public String toString() {
        return text;
    }
}
