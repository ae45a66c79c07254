package dev.ratelimit.spring.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a query string. The request itself would read parameters from the body too, and leave
 * nothing of it to the handler.
 */
final class QueryString {

    private QueryString() {}

    /** The first value of a parameter, decoded; null if there is none. */
    static @Nullable String value(@Nullable String query, String name) {
        if (query == null) {
            return null;
        }
        int start = 0;
        while (start <= query.length()) {
            int ampersand = query.indexOf('&', start);
            int end = ampersand < 0 ? query.length() : ampersand;
            int equals = query.indexOf('=', start);
            int nameEnd = equals < 0 || equals > end ? end : equals;
            if (decode(query.substring(start, nameEnd)).equals(name)) {
                return nameEnd == end ? "" : decode(query.substring(nameEnd + 1, end));
            }
            start = end + 1;
        }
        return null;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
