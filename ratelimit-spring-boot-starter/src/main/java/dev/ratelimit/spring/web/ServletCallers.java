package dev.ratelimit.spring.web;

import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.IpAddress;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** Tells who sent a request. */
public final class ServletCallers {

    private final int ipv6Prefix;
    private final PathRules pathRules;
    private final BeanFactory beans;

    /**
     * Makes this.
     *
     * @param ipv6Prefix how many leading bits of an IPv6 address are one client, 32 to 128
     * @param pathRules have path variables of their own
     * @param beans has the key resolvers
     */
    public ServletCallers(int ipv6Prefix, PathRules pathRules, BeanFactory beans) {
        this.ipv6Prefix = ipv6Prefix;
        this.pathRules = pathRules;
        this.beans = beans;
    }

    Caller of(HttpServletRequest request) {
        return new ServletCaller(request, this);
    }

    @Nullable IpAddress address(HttpServletRequest request) {
        return ClientAddress.of(request);
    }

    /** What is counted under an address. */
    String network(IpAddress address) {
        return address.network(ipv6Prefix);
    }

    @Nullable String ruleVariable(HttpServletRequest request, String name) {
        return pathRules.variable(request, name);
    }

    @Nullable String resolve(HttpServletRequest request, String resolver) {
        return beans.getBean(resolver, RateLimitKeyResolver.class).resolve(request);
    }
}
