package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.IpNetworks;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.RuleMode;
import dev.ratelimit.spring.rule.RulePhase;
import dev.ratelimit.spring.web.ForwardedHeader;
import java.time.Duration;
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
 * @param clientIp How a client's address is found, and becomes a key.
 * @param hashSecret Keys the hash under which secrets such as API keys are counted. Random by
 *     default.
 * @param inMemory Settings of the in-memory store.
 * @param redis Settings of the store in Redis.
 * @param metrics Meters.
 * @param method Calls of annotated methods.
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
        @DefaultValue Redis redis,
        @DefaultValue Metrics metrics,
        @DefaultValue Method method,
        @DefaultValue Map<String, RuleProperties> rules) {

    /** Where buckets live. */
    public enum Store {
        /** In the memory of this process. */
        IN_MEMORY,
        /** In Redis, where all instances find them. */
        REDIS
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
     * How a client's address is found, and becomes a key.
     *
     * @param trustedProxies Networks (CIDRs) and addresses of proxies. The forwarded header is
     *     believed only from these.
     * @param header Header in which they say where a request came from. No other is read.
     * @param ipv6Prefix Number of leading bits of an IPv6 address that count as one client, 32 to
     *     128.
     */
    public record ClientIp(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("X-Forwarded-For") ForwardedHeader header,
            @DefaultValue("64") int ipv6Prefix) {

        public ClientIp {
            readNetworks(trustedProxies);
            requireInRange("client-ip.ipv6-prefix", ipv6Prefix, 32, 128);
        }

        /** The trusted proxies. */
        IpNetworks trustedNetworks() {
            return readNetworks(trustedProxies);
        }

        private static IpNetworks readNetworks(List<String> cidrs) {
            return IpNetworks.parse(cidrs, i -> "ratelimit.client-ip.trusted-proxies[" + i + "]");
        }
    }

    /**
     * Settings of the in-memory store.
     *
     * @param maxKeys Maximum number of keys per rule that have buckets of their own.
     */
    public record InMemory(@DefaultValue("100000") long maxKeys) {

        public InMemory {
            requireInRange("in-memory.max-keys", maxKeys, 1, Long.MAX_VALUE);
        }
    }

    /**
     * Settings of the store in Redis.
     *
     * @param keyPrefix Beginning of each key. Applications that share a server and have rules of
     *     the same names need different ones.
     * @param timeout How long a decision may take.
     * @param onFailure What becomes of requests that Redis does not decide on.
     */
    public record Redis(
            @DefaultValue("ratelimit:") String keyPrefix,
            @DefaultValue("100ms") Duration timeout,
            @DefaultValue("allow") OnFailure onFailure) {

        public Redis {
            if (keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
                throw new InvalidRuleException(
                        "ratelimit.redis.key-prefix",
                        "The value is '" + keyPrefix + "'.",
                        "Remove the braces: in a cluster, what is between them would decide where"
                                + " all keys are.");
            }
            if (timeout.compareTo(Duration.ofMillis(1)) < 0
                    || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new InvalidRuleException(
                        "ratelimit.redis.timeout",
                        "The value is " + timeout.toMillis() + "ms.",
                        "Set it to a time from 1ms to 1m.");
            }
        }
    }

    /**
     * Meters.
     *
     * @param bucketGauges Number of busiest buckets per rule that have a gauge; 0 for none.
     */
    public record Metrics(@DefaultValue("10") int bucketGauges) {

        public Metrics {
            requireInRange("metrics.bucket-gauges", bucketGauges, 0, Integer.MAX_VALUE);
        }
    }

    /**
     * Calls of annotated methods.
     *
     * @param order Place of the limit among other advice: inside of what has a lower order. Outside
     *     of all by default.
     */
    public record Method(@DefaultValue("-2147483648") int order) {}

    private static void requireInRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidRuleException(
                    "ratelimit." + name,
                    "The value is " + value + ".",
                    most < Integer.MAX_VALUE
                            ? "Set it to a number from " + least + " to " + most + "."
                            : "Set it to a number of at least " + least + ".");
        }
    }

    /**
     * A rule as it is written. Its values are read when the rule is made, which knows how to
     * explain what is wrong with them.
     *
     * @param paths Patterns of the paths that the rule applies to. Without any, it is for
     *     annotations and code.
     * @param excludePaths Patterns of paths that are taken out again.
     * @param exemptIps CIDRs of clients that are not counted.
     * @param methods HTTP methods that the rule applies to; all by default.
     * @param phase When requests are decided on.
     * @param countStatuses Statuses of the responses that count; all by default.
     * @param key Who is counted; the client's address by default.
     * @param permits What a request costs: a number, or an expression over request, principal and
     *     ip.
     * @param when Expression that tells whether a request is counted.
     * @param unless Expression that tells whether a request is not counted.
     * @param mode What becomes of the rule's decisions.
     * @param onFailure What becomes of requests that Redis does not decide on; as for all rules by
     *     default.
     * @param plan What tells a caller's plan.
     * @param plans Limits of plans by their name; each inherits what it does not set.
     * @param strategy How requests are counted.
     * @param requests Number of requests per window.
     * @param window Length of a window; a bare number is seconds.
     * @param burst Number of requests that a full token bucket can give at once.
     * @param limits Several limits at once, instead of requests and window.
     */
    public record RuleProperties(
            @Nullable List<String> paths,
            @DefaultValue List<String> excludePaths,
            @DefaultValue List<String> exemptIps,
            @DefaultValue List<String> methods,
            @DefaultValue("handler") RulePhase phase,
            @DefaultValue List<String> countStatuses,
            @Nullable List<String> key,
            @Nullable String permits,
            @Nullable String when,
            @Nullable String unless,
            @DefaultValue("enforce") RuleMode mode,
            @Nullable OnFailure onFailure,
            @Nullable String plan,
            @DefaultValue Map<String, LimitsProperties> plans,
            @Nullable String strategy,
            @Nullable String requests,
            @Nullable String window,
            @Nullable String burst,
            @DefaultValue List<LimitProperties> limits) {}

    /**
     * The limits of a plan as they are written.
     *
     * @param strategy How requests are counted.
     * @param requests Number of requests per window.
     * @param window Length of a window; a bare number is seconds.
     * @param burst Number of requests that a full token bucket can give at once.
     * @param limits Several limits at once, instead of requests and window.
     */
    public record LimitsProperties(
            @Nullable String strategy,
            @Nullable String requests,
            @Nullable String window,
            @Nullable String burst,
            @DefaultValue List<LimitProperties> limits) {}

    /**
     * A limit of a rule as it is written.
     *
     * @param requests Number of requests per window.
     * @param window Length of a window; a bare number is seconds.
     * @param burst Number of requests that a full token bucket can give at once.
     * @param strategy How requests are counted; as the rule's by default.
     */
    public record LimitProperties(
            @Nullable String requests,
            @Nullable String window,
            @Nullable String burst,
            @Nullable String strategy) {}
}
