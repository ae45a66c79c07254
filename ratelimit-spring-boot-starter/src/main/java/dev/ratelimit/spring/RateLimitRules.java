package dev.ratelimit.spring;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import java.util.concurrent.TimeUnit;

/**
 * Receives the rules that a {@link RateLimitConfigurer} declares.
 *
 * <pre>{@code
 * rules.rule("search").path("/api/search/**").limit("ip", 100, 1, TimeUnit.SECONDS);
 * }</pre>
 *
 * <p>What cannot work stops the start with a message that says how to put it right.
 */
public interface RateLimitRules {

    /**
     * Declares a rule. It needs at least one limit.
     *
     * @param name what it is called, unlike any other rule: {@code [a-z][a-z0-9-]{0,63}}
     * @return the rule, to be described
     */
    Rule rule(String name);

    /** A rule that is being declared. All methods return it again. */
    interface Rule {

        /**
         * Applies the rule to requests. Without any path it is for {@link RateLimited} and {@link
         * RateLimiters} only.
         *
         * @param patterns patterns as in request mappings, such as {@code /api/items/{id}} or
         *     {@code /api/**}, without a query
         * @return this
         */
        Rule path(String... patterns);

        /**
         * Takes requests out again.
         *
         * @param patterns patterns as in {@link #path}
         * @return this
         */
        Rule excludePath(String... patterns);

        /**
         * Applies the rule to some HTTP methods only. {@code GET} covers {@code HEAD}.
         *
         * @param methods names of methods, such as {@code POST}
         * @return this
         */
        Rule method(String... methods);

        /**
         * Decides before Spring Security, which may answer requests that then reach no handler. It
         * is not known yet who the user is.
         *
         * @return this
         */
        Rule beforeSecurity();

        /**
         * Counts only requests whose responses have one of some statuses. A request is counted
         * before, and given back if its response turns out not to count.
         *
         * @param statuses such as 401
         * @return this
         */
        Rule countStatus(int... statuses);

        /**
         * Says who is counted.
         *
         * @param parts {@code ip} (the default in a request), {@code user}, {@code global}, {@code
         *     session}, {@code header:NAME}, {@code cookie:NAME}, {@code query:NAME}, {@code
         *     path:NAME} or {@code bean:NAME}; several are counted in combination
         * @return this
         */
        Rule key(String... parts);

        /**
         * Says what a request costs.
         *
         * @param permits at least 1, which is the default, and at most what each limit has at once
         * @return this
         */
        Rule permits(long permits);

        /**
         * Says what a request costs by an expression, which is computed for each request. A
         * fraction is rounded up; 0 exempts the request; what is not a number, or negative, is 1.
         *
         * @param expression in the Spring Expression Language, over {@code request}, {@code
         *     principal} and {@code ip}
         * @return this
         */
        Rule permits(String expression);

        /**
         * Counts only the requests for which an expression is true, or has no value.
         *
         * @param expression as in {@link #permits(String)}
         * @return this
         */
        Rule when(String expression);

        /**
         * Does not count the requests for which an expression is true.
         *
         * @param expression as in {@link #permits(String)}
         * @return this
         */
        Rule unless(String expression);

        /**
         * Does not count the requests of some clients.
         *
         * @param cidrs such as {@code 10.0.0.0/8}, or a single address
         * @return this
         */
        Rule exemptIp(String... cidrs);

        /**
         * Decides and counts, and refuses nothing.
         *
         * @return this
         */
        Rule shadow();

        /**
         * Adds a limit under {@link LimitStrategy#FIXED_WINDOW}. With several, a request must pass
         * all, and spends from all or none.
         *
         * @param requests how many per window, 1 to 10⁹
         * @param window how many units the window is long, 1 ms to 366 days in all
         * @param unit the unit of {@code window}
         * @return this
         */
        default Rule limit(long requests, long window, TimeUnit unit) {
            return limit(requests, window, unit, LimitStrategy.FIXED_WINDOW);
        }

        /**
         * Adds a limit.
         *
         * @param requests how many per window, 1 to 10⁹
         * @param window how many units the window is long, 1 ms to 366 days in all
         * @param unit the unit of {@code window}
         * @param strategy how to count
         * @return this
         */
        Rule limit(long requests, long window, TimeUnit unit, LimitStrategy strategy);

        /**
         * Says who is counted, and adds a limit under {@link LimitStrategy#FIXED_WINDOW}.
         *
         * @param key as in {@link #key}; all limits of a rule have the same key
         * @param requests how many per window, 1 to 10⁹
         * @param window how many units the window is long, 1 ms to 366 days in all
         * @param unit the unit of {@code window}
         * @return this
         */
        default Rule limit(String key, long requests, long window, TimeUnit unit) {
            return limit(key, requests, window, unit, LimitStrategy.FIXED_WINDOW);
        }

        /**
         * Says who is counted, and adds a limit.
         *
         * @param key as in {@link #key}; all limits of a rule have the same key
         * @param requests how many per window, 1 to 10⁹
         * @param window how many units the window is long, 1 ms to 366 days in all
         * @param unit the unit of {@code window}
         * @param strategy how to count
         * @return this
         */
        default Rule limit(
                String key, long requests, long window, TimeUnit unit, LimitStrategy strategy) {
            return key(key).limit(requests, window, unit, strategy);
        }

        /**
         * Adds a limit with a burst, or with a strategy of your own.
         *
         * @param config its numbers
         * @param strategy how to count
         * @return this
         */
        Rule limit(LimitConfig config, RateLimitStrategy strategy);
    }
}
