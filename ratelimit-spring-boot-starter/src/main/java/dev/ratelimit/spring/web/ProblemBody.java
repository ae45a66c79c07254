package dev.ratelimit.spring.web;

import java.util.List;
import java.util.StringJoiner;

/**
 * The body of a refusal, as RFC 9457 has it. It is written by hand, since the JSON library is the
 * application's choice; it is pure ASCII, and so the same in any encoding.
 */
final class ProblemBody {

    private static final String UNTIL_DETAIL =
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\""
                    + ",\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\""
                    + ",\"status\":429,\"detail\":\"";

    private static final String UNAVAILABLE_UNTIL_INSTANCE =
            "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\""
                    + ",\"title\":\"Request cannot be satisfied due to temporary server capacity constraints\""
                    + ",\"status\":503,\"detail\":\"It is not known whether this request is within its limits."
                    + " Try again in 1 second.\",\"instance\":\"";

    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char c = ' '; c <= '~'; c++) {
            PLAIN[c] = "\"&'<>\\".indexOf(c) < 0;
        }
    }

    private ProblemBody() {}

    /**
     * Writes the body for a request that nobody could decide on.
     *
     * @param instance the path
     * @return JSON
     */
    static String unavailable(String instance) {
        return UNAVAILABLE_UNTIL_INSTANCE + escaped(instance) + "\"}";
    }

    /**
     * Writes the body.
     *
     * @param retryAfterSeconds how long to wait, at least 1; negative if it is no use
     * @param instance the path
     * @param violatedPolicies the rules that refused
     * @return JSON
     */
    static String of(long retryAfterSeconds, String instance, List<String> violatedPolicies) {
        return UNTIL_DETAIL
                + detail(retryAfterSeconds)
                + "\",\"instance\":\""
                + escaped(instance)
                + "\",\"violated-policies\":["
                + strings(violatedPolicies)
                + "]}";
    }

    private static String detail(long retryAfterSeconds) {
        if (retryAfterSeconds < 0) {
            return "The request costs more than its limit ever admits.";
        }
        return "Too many requests. Try again in "
                + retryAfterSeconds
                + (retryAfterSeconds == 1 ? " second." : " seconds.");
    }

    private static String strings(List<String> values) {
        if (values.size() == 1) {
            return '"' + escaped(values.get(0)) + '"';
        }
        StringJoiner strings = new StringJoiner(",");
        for (String value : values) {
            strings.add('"' + escaped(value) + '"');
        }
        return strings.toString();
    }

    /** Escapes also what a browser could take for markup. Most text stays as it is. */
    private static String escaped(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (!isPlain(value.charAt(i))) {
                return escapedFrom(i, value);
            }
        }
        return value;
    }

    private static boolean isPlain(char c) {
        return c < PLAIN.length && PLAIN[c];
    }

    private static String escapedFrom(int start, String value) {
        StringBuilder json = new StringBuilder(value.length() + 32).append(value, 0, start);
        for (int i = start; i < value.length(); i++) {
            char c = value.charAt(i);
            if (isPlain(c)) {
                json.append(c);
            } else if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else {
                json.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    json.append(Character.forDigit(c >> shift & 0xF, 16));
                }
            }
        }
        return json.toString();
    }
}
