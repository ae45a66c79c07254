package dev.ratelimit.spring.rule;

import java.util.regex.Pattern;

/** What rules may be called in properties and in Java. */
public final class RuleNames {

    /** How to put a wrong name right. */
    public static final String ACTION =
            "Names are [a-z][a-z0-9-]{0,63}, such as 'search'; put the path under 'paths'.";

    private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9-]{0,63}");

    private RuleNames() {}

    public static boolean isValid(String name) {
        return VALID.matcher(name).matches();
    }
}
