package dev.ratelimit.spring.key;

import java.util.List;
import java.util.Map;

/** Reads the keys of rules. */
public interface RuleKeys {

    /**
     * Reads a key.
     *
     * @param parts as they are written; empty for the default, which is {@code ip} inside a web
     *     request and {@code global} outside
     * @param expressions what finds the values of those parts that are expressions
     * @return what finds out who is counted
     * @throws IllegalArgumentException if a part is not one of the known kinds, with a message that
     *     names it and lists them
     */
    RuleKey parse(List<String> parts, Map<String, KeyValue> expressions);

    /**
     * Reads what tells the plan of a caller.
     *
     * @param selector as it is written: {@code bean:NAME}, {@code user}, or {@code header:NAME},
     *     which is believed only if it comes from a trusted proxy
     * @return what finds out a caller's plan
     * @throws IllegalArgumentException if it is none of these
     */
    PlanSelector parsePlan(String selector);
}
