package dev.ratelimit.spring.web;

import dev.ratelimit.spring.key.IpAddress;
import dev.ratelimit.spring.rule.IpNetworks;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address that a request came from: the peer's, or where that is a proxy of ours, the one
 * that our proxies have it from. What the client itself wrote into the header is not believed.
 */
public final class ClientAddress {

    private static final Log LOGGER = LogFactory.getLog(ClientAddress.class);

    /** Its wrapper reports what the client wrote, and hides the header. */
    private static final String FORWARDED_HEADER_WRAPPER =
            "org.springframework.web.filter.ForwardedHeaderFilter$";

    private final IpNetworks trustedProxies;
    private final ForwardedHeader header;
    private final int ipv6Prefix;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Makes this.
     *
     * @param trustedProxies the peers, and hops before them, that are believed
     * @param header where they say who they have a request from; no other field is read
     * @param ipv6Prefix how many leading bits of an IPv6 address are one client, 32 to 128
     */
    public ClientAddress(IpNetworks trustedProxies, ForwardedHeader header, int ipv6Prefix) {
        this.trustedProxies = trustedProxies;
        this.header = header;
        this.ipv6Prefix = ipv6Prefix;
    }

    /** The address; null if the peer has none. */
    @Nullable IpAddress of(HttpServletRequest request) {
        HttpServletRequest asReceived = asReceived(request);
        String text = asReceived.getRemoteAddr();
        IpAddress peer = text == null ? null : IpAddress.parse(text.strip());
        if (peer != null && trustedProxies.contains(peer)) {
            return firstUntrusted(peer, Collections.list(asReceived.getHeaders(header.field())));
        }
        if (!warned.get()) {
            warnOfHeader(asReceived, peer);
        }
        return peer;
    }

    /** Whether a request came directly from a proxy that is believed. */
    boolean isBehindTrustedProxy(HttpServletRequest request) {
        String text = asReceived(request).getRemoteAddr();
        return text != null && trustedProxies.contains(IpAddress.parse(text.strip()));
    }

    /** What is counted under an address: an IPv6 address by its network. */
    String network(IpAddress address) {
        return address.network(ipv6Prefix);
    }

    private static HttpServletRequest asReceived(HttpServletRequest request) {
        HttpServletRequest asReceived = request;
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
            if (wrapper.getClass().getName().startsWith(FORWARDED_HEADER_WRAPPER)
                    && inner instanceof HttpServletRequest received) {
                asReceived = received;
            }
        }
        return asReceived;
    }

    /** Walks from the peer towards the client, as far as each hop is believed. */
    private IpAddress firstUntrusted(IpAddress peer, List<String> lines) {
        IpAddress nearest = peer;
        for (int i = lines.size() - 1; i >= 0; i--) {
            String line = lines.get(i);
            int end = line.length();
            while (end > 0) {
                int start = header.lastElement(line, end);
                String element = line.substring(start, end).strip();
                end = start - 1;
                if (element.isEmpty()) {
                    continue;
                }
                IpAddress hop = header.address(element);
                if (hop == null) {
                    return nearest;
                }
                nearest = hop;
                if (!trustedProxies.contains(hop)) {
                    return nearest;
                }
            }
        }
        return nearest;
    }

    private void warnOfHeader(HttpServletRequest request, @Nullable IpAddress peer) {
        for (ForwardedHeader forwarded : ForwardedHeader.values()) {
            if (request.getHeader(forwarded.field()) != null && !warned.getAndSet(true)) {
                LOGGER.warn(
                        "RL-FORWARDED-UNTRUSTED: A request has the header field "
                                + forwarded.field()
                                + ", which is not believed, since its sender "
                                + (peer == null ? "has no address" : peer + " is not")
                                + " in ratelimit.client-ip.trusted-proxies. If that is a proxy, all"
                                + " clients behind it are counted as one: add its address there."
                                + " This is logged once");
            }
        }
    }
}
