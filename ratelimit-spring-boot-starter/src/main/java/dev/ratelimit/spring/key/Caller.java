package dev.ratelimit.spring.key;

import java.security.Principal;
import java.util.Map;
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

    /** Whether the request came directly from a proxy whose header fields can be believed. */
    default boolean isBehindTrustedProxy() {
        return false;
    }

    /** The request, for expressions. */
    default @Nullable Object request() {
        return null;
    }

    /** The user who is logged in, for expressions. */
    default @Nullable Principal principal() {
        return null;
    }

    /** The arguments of the method that is called, by name, for expressions. */
    default Map<String, @Nullable Object> arguments() {
        return Map.of();
    }

    /** The same caller, calling a method with arguments. */
    default Caller with(Map<String, @Nullable Object> arguments) {
        return new MethodCaller(this, arguments);
    }
}
