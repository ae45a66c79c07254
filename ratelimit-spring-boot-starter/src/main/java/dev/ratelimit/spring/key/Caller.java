package dev.ratelimit.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * Who is calling, as far as is known: a web request, or nobody. Everything it returns is as the
 * client sent it; null where there is no such thing.
 */
public interface Caller {

    /** A call that no request led to. */
    Caller NONE = new Caller() {};

    /** Whether a web request led to this call. */
    default boolean isRequest() {
        return false;
    }

    /** The client's whole address. */
    default @Nullable IpAddress clientAddress() {
        return null;
    }

    /** What the client's address is counted as: an IPv6 address by its network. */
    default @Nullable String address() {
        return null;
    }

    /** The name of the user who is logged in. */
    default @Nullable String user() {
        return null;
    }

    /** The id of the session, if there is one; none is made. */
    default @Nullable String session() {
        return null;
    }

    default @Nullable String header(String name) {
        return null;
    }

    default @Nullable String cookie(String name) {
        return null;
    }

    /** A parameter of the query string. */
    default @Nullable String query(String name) {
        return null;
    }

    /** A variable of the path pattern that matched. */
    default @Nullable String pathVariable(String name) {
        return null;
    }

    /** What the {@link dev.ratelimit.spring.RateLimitKeyResolver} bean of that name says. */
    default @Nullable String bean(String name) {
        return null;
    }
}
