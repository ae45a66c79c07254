package dev.ratelimit.spring.autoconfigure;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What stands under {@code ratelimit} in the environment.
 *
 * @param enabled Whether limits are enforced. If not, every bean stays and admits everything.
 * @param store Where buckets live.
 * @param headers Header fields of responses.
 * @param clientIp How a client's address becomes a key.
 * @param hashSecret Keys the hash under which secrets such as API keys are counted. Random by
 *     default.
 * @param inMemory Settings of the in-memory store.
 * @param metrics Meters.
 * @param rules Rules by name.
 */
@ConfigurationProperties("ratelimit")
public record RateLimitProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("in-memory") Store store,
        @DefaultValue Headers headers,
        @DefaultValue ClientIp clientIp,
        @Nullable String hashSecret,
        @DefaultValue InMemory inMemory,
        @DefaultValue Metrics metrics,
        @DefaultValue Map<String, RuleProperties> rules) {

    /** Where buckets live. */
    public enum Store {
        /** In the memory of this process. */
        IN_MEMORY
    }

    /** How header fields show a limit. */
    public enum HeaderStyle {
        /** X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset. */
        LEGACY,
        /** RateLimit-Policy and RateLimit as in draft-ietf-httpapi-ratelimit-headers-11. */
        DRAFT_11
    }

    /**
     * Header fields of responses.
     *
     * @param styles Styles in which each response shows the deciding limit; empty for none.
     * @param expose Whether to name the fields in Access-Control-Expose-Headers, for browsers.
     */
    public record Headers(
            @DefaultValue("legacy") List<HeaderStyle> styles,
            @DefaultValue("false") boolean expose) {}

    /**
     * How a client's address becomes a key.
     *
     * @param ipv6Prefix Number of leading bits of an IPv6 address that count as one client, 32 to
     *     128.
     */
    public record ClientIp(@DefaultValue("64") int ipv6Prefix) {}

    /**
     * Settings of the in-memory store.
     *
     * @param maxKeys Maximum number of keys per rule that have buckets of their own.
     */
    public record InMemory(@DefaultValue("100000") long maxKeys) {}

    /**
     * Meters.
     *
     * @param bucketGauges Number of busiest buckets per rule that have a gauge; 0 for none.
     */
    public record Metrics(@DefaultValue("10") int bucketGauges) {}

    /** A rule as it is written; each value is checked when the rule is made. */
    public record RuleProperties() {}
}
