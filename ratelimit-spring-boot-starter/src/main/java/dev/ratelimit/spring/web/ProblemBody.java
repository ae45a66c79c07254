package dev.ratelimit.spring.web;

import java.util.List;

/**
 * The body of a refusal, as RFC 9457 has it. It is written by hand, since the JSON library is the
 * application's choice; it is pure ASCII, and so the same in any encoding.
 */
final class ProblemBody {

    private static final String UNTIL_DETAIL =
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\""
                    + ",\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\""
                    + ",\"status\":429,\"detail\":";

    private static final String UNAVAILABLE_UNTIL_INSTANCE =
            "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\""
                    + ",\"title\":\"Request cannot be satisfied due to temporary server capacity constraints\""
                    + ",\"status\":503,\"detail\":\"It is not known whether this request is within its limits."
                    + " Try again in 1 second.\",\"instance\":";

    private ProblemBody() {}

    /**
     * Writes the body for a request that nobody could decide on.
     *
     * @param instance the path
     * @return JSON
     */
    static String unavailable(String instance) {
        StringBuilder json = new StringBuilder(320).append(UNAVAILABLE_UNTIL_INSTANCE);
        appendString(json, instance);
        return json.append('}').toString();
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
        StringBuilder json = new StringBuilder(320);
        json.append(UNTIL_DETAIL);
        appendString(json, detail(retryAfterSeconds));
        json.append(",\"instance\":");
        appendString(json, instance);
        json.append(",\"violated-policies\":[");
        for (int i = 0; i < violatedPolicies.size(); i++) {
            json.append(i == 0 ? "" : ",");
            appendString(json, violatedPolicies.get(i));
        }
        return json.append("]}").toString();
    }

    private static String detail(long retryAfterSeconds) {
        if (retryAfterSeconds < 0) {
            return "The request costs more than its limit ever admits.";
        }
        return "Too many requests. Try again in "
                + retryAfterSeconds
                + (retryAfterSeconds == 1 ? " second." : " seconds.");
    }

    /** Escapes also what a browser could take for markup. Most text goes as it is. */
    private static void appendString(StringBuilder json, String value) {
        json.append('"');
        int written = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!isPlain(c)) {
                json.append(value, written, i);
                appendEscaped(json, c);
                written = i + 1;
            }
        }
        json.append(value, written, value.length()).append('"');
    }

    private static boolean isPlain(char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
                && c != '\'';
    }

    private static void appendEscaped(StringBuilder json, char c) {
        if (c == '"' || c == '\\') {
            json.append('\\').append(c);
            return;
        }
        json.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            json.append(Character.forDigit(c >> shift & 0xF, 16));
        }
    }
}
