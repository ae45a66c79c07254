package dev.ratelimit.spring.rule;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.springframework.boot.convert.DurationStyle;

/** Reads lengths of time wherever they are written. */
public final class Durations {

    /** Boot's own style takes 1M for a minute, and a bare number for milliseconds. */
    private static final Pattern SIMPLE = Pattern.compile("\\d+(ns|us|ms|s|m|h|d)?");

    private Durations() {}

    /**
     * Reads a length of time.
     *
     * @param where the property or attribute, for messages
     * @param written such as {@code 1m} or {@code PT1M}; a number alone is seconds
     * @return the length, not negative where it is written in the short form
     * @throws InvalidRuleException if it is none
     */
    public static Duration parse(String where, String written) {
        String text = written.strip();
        try {
            if (SIMPLE.matcher(text).matches()) {
                return DurationStyle.SIMPLE.parse(text, ChronoUnit.SECONDS);
            }
            return DurationStyle.ISO8601.parse(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new InvalidRuleException(
                    where,
                    "'" + written + "' is not a length of time.",
                    "Write a number and a unit without a space between them: 500ms, 1s, 5m, 1h or"
                            + " 1d, or as in PT1S; a number alone is seconds.");
        }
    }
}
