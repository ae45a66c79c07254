package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.IpAddress;
import org.jspecify.annotations.Nullable;

/** A header field in which each proxy adds, on the right, whom it has a request from. */
public enum ForwardedHeader {
    X_FORWARDED_FOR("X-Forwarded-For") {
        @Override
        int lastElement(String line, int end) {
            return line.lastIndexOf(',', end - 1) + 1;
        }

        @Override
        @Nullable IpAddress address(String element) {
            return IpAddress.parse(element);
        }
    },

    /** As RFC 7239 has it. */
    FORWARDED("Forwarded") {
        @Override
        int lastElement(String line, int end) {
            return ForwardedElement.last(line, end);
        }

        @Override
        @Nullable IpAddress address(String element) {
            String node = ForwardedElement.node(element);
            return node == null ? null : IpAddress.parse(node);
        }
    };

    private final String field;

    ForwardedHeader(String field) {
        this.field = field;
    }

    /** The name of the field. */
    String field() {
        return field;
    }

    /** Where the last element begins in the part of a line that ends before an index. */
    abstract int lastElement(String line, int end);

    /** The address in an element; null if there is none. */
    abstract @Nullable IpAddress address(String element);
}
