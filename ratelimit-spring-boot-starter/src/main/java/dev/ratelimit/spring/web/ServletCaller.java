package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.IpAddress;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;

/** Who sent a request. Reads it without a trace: no session is made, no body is read. */
final class ServletCaller implements Caller {

    /** With some settings of Spring Security, the request of a stranger has this principal. */
    private static final String ANONYMOUS =
            "org.springframework.security.authentication.AnonymousAuthenticationToken";

    private final HttpServletRequest request;
    private final ServletCallers callers;
    private boolean addressRead;
    private @Nullable IpAddress clientAddress;

    ServletCaller(HttpServletRequest request, ServletCallers callers) {
        this.request = request;
        this.callers = callers;
    }

    @Override
    public boolean isRequest() {
        return true;
    }

    @Override
    public @Nullable IpAddress clientAddress() {
        if (!addressRead) {
            clientAddress = callers.address(request);
            addressRead = true;
        }
        return clientAddress;
    }

    @Override
    public @Nullable String address() {
        IpAddress whole = clientAddress();
        return whole == null ? null : callers.network(whole);
    }

    @Override
    public boolean isBehindTrustedProxy() {
        return callers.isBehindTrustedProxy(request);
    }

    @Override
    public @Nullable String user() {
        Principal principal = principal();
        return principal == null ? null : principal.getName();
    }

    /** Nobody is logged in while Spring Security says anonymous. */
    @Override
    public @Nullable Principal principal() {
        Principal principal = request.getUserPrincipal();
        return principal == null || principal.getClass().getName().equals(ANONYMOUS)
                ? null
                : principal;
    }

    @Override
    public HttpServletRequest request() {
        return request;
    }

    @Override
    public @Nullable String session() {
        HttpSession session = request.getSession(false);
        return session == null ? null : session.getId();
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(name)) {
                    return cookie.getValue();
                }
            }
        }
        return null;
    }

    @Override
    public @Nullable String query(String name) {
        return QueryString.value(request.getQueryString(), name);
    }

    @Override
    public @Nullable String pathVariable(String name) {
        // A rule means its own variable, also where the handler has another one of that name.
        String ofRule = callers.ruleVariable(request, name);
        if (ofRule != null) {
            return ofRule;
        }
        if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
                        instanceof Map<?, ?> variables
                && variables.get(name) instanceof String value) {
            return value;
        }
        return null;
    }

    @Override
    public @Nullable String bean(String name) {
        return callers.resolve(request, name);
    }
}
