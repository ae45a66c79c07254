package dev.ratelimit.spring.web;

import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.IpAddress;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** Tells who sent a request. */
public final class ServletCallers {

    private final ClientAddress clientAddress;
    private final PathRules pathRules;
    private final BeanFactory beans;

    /**
     * Makes this.
     *
     * @param clientAddress finds addresses
     * @param pathRules have path variables of their own
     * @param beans has the key resolvers
     */
    public ServletCallers(ClientAddress clientAddress, PathRules pathRules, BeanFactory beans) {
        this.clientAddress = clientAddress;
        this.pathRules = pathRules;
        this.beans = beans;
    }

    Caller of(HttpServletRequest request) {
        return new ServletCaller(request, this);
    }

    @Nullable IpAddress address(HttpServletRequest request) {
        return clientAddress.of(request);
    }

    boolean isBehindTrustedProxy(HttpServletRequest request) {
        return clientAddress.isBehindTrustedProxy(request);
    }

    /** What is counted under an address. */
    String network(IpAddress address) {
        return clientAddress.network(address);
    }

    @Nullable String ruleVariable(HttpServletRequest request, String name) {
        return pathRules.variable(request, name);
    }

    @Nullable String resolve(HttpServletRequest request, String resolver) {
        return beans.getBean(resolver, RateLimitKeyResolver.class).resolve(request);
    }
}
