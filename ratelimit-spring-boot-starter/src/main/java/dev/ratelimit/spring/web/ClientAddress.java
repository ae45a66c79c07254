package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.IpAddress;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Finds the address that a request came from. */
final class ClientAddress {

    /** Its wrapper reports what the client wrote into a header. */
    private static final String FORWARDED_HEADER_WRAPPER =
            "org.springframework.web.filter.ForwardedHeaderFilter$";

    private ClientAddress() {}

    /** The peer's address; null if it has none. */
    static @Nullable IpAddress of(HttpServletRequest request) {
        String text = asReceived(request).getRemoteAddr();
        return text == null ? null : IpAddress.parse(text.strip());
    }

    private static ServletRequest asReceived(HttpServletRequest request) {
        ServletRequest asReceived = request;
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
            if (wrapper.getClass().getName().startsWith(FORWARDED_HEADER_WRAPPER)) {
                asReceived = inner;
            }
        }
        return asReceived;
    }
}
