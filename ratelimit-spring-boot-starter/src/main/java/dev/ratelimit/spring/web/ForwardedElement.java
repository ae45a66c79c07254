package dev.ratelimit.spring.web;

import org.jspecify.annotations.Nullable;

/** Reads elements of the header field of RFC 7239, such as {@code for="[2001:db8::1]:80"}. */
final class ForwardedElement {

    private ForwardedElement() {}

    /**
     * Finds the last element from the right, so that a quote which a client has left open cannot
     * swallow what proxies add.
     *
     * @param line a line of the field
     * @param end where the element ends
     * @return where it begins; 0 if quotes do not match
     */
    static int last(String line, int end) {
        int i = end - 1;
        while (i >= 0 && line.charAt(i) != ',') {
            if (line.charAt(i) == '"') {
                i = openingQuote(line, i);
            }
            i--;
        }
        return Math.max(0, i + 1);
    }

    private static int openingQuote(String line, int closingQuote) {
        if (isEscaped(line, closingQuote)) {
            return -1;
        }
        int i = closingQuote;
        do {
            i = line.lastIndexOf('"', i - 1);
        } while (i >= 0 && isEscaped(line, i));
        return i;
    }

    private static boolean isEscaped(String line, int index) {
        int i = index;
        while (i > 0 && line.charAt(i - 1) == '\\') {
            i--;
        }
        return (index - i) % 2 == 1;
    }

    /** Who the request came from: the value of the one pair {@code for}; null if malformed. */
    static @Nullable String node(String element) {
        String node = null;
        for (int start = 0; start < element.length(); ) {
            int end = pairEnd(element, start);
            String pair = element.substring(start, end).strip();
            start = end + 1;
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            if (equals < 0) {
                return null;
            }
            if (pair.substring(0, equals).strip().equalsIgnoreCase("for")) {
                if (node != null) {
                    return null;
                }
                node = unquoted(pair.substring(equals + 1).strip());
                if (node == null) {
                    return null;
                }
            }
        }
        return node;
    }

    private static int pairEnd(String element, int start) {
        boolean quoted = false;
        for (int i = start; i < element.length(); i++) {
            char c = element.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted && c == '\\') {
                i++;
            } else if (!quoted && c == ';') {
                return i;
            }
        }
        return element.length();
    }

    /** A token as it is, or what is in quotes; null if quotes do not match. */
    private static @Nullable String unquoted(String value) {
        if (!value.startsWith("\"")) {
            return value.indexOf('"') < 0 ? value : null;
        }
        StringBuilder text = new StringBuilder(value.length());
        int i = 1;
        while (i < value.length() && value.charAt(i) != '"') {
            if (value.charAt(i) == '\\') {
                i++;
            }
            if (i < value.length()) {
                text.append(value.charAt(i));
            }
            i++;
        }
        return i == value.length() - 1 ? text.toString() : null;
    }
}
