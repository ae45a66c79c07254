package dev.ratelimit.spring.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/** The same tests again, with all rules of {@link WebLimits} that can be decided in the filter. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@TestPropertySource(
        properties = {
            "ratelimit.rules.clients.phase=filter",
            "ratelimit.rules.item.phase=filter",
            "ratelimit.rules.per-item.phase=filter",
            "ratelimit.rules.per-shop.phase=filter",
            "ratelimit.rules.search.phase=filter",
            "ratelimit.rules.reading.phase=filter",
            "ratelimit.rules.general.phase=filter",
            "ratelimit.rules.special.phase=filter",
            "ratelimit.rules.two-limits.phase=filter",
            "ratelimit.rules.two-at-once.phase=filter",
            "ratelimit.rules.tokens.phase=filter",
            "ratelimit.rules.slow-tokens.phase=filter",
            "ratelimit.rules.fixed.phase=filter",
            "ratelimit.rules.sliding.phase=filter",
            "ratelimit.rules.log.phase=filter",
            "ratelimit.rules.bucket.phase=filter",
            "ratelimit.rules.errors.phase=filter",
            "ratelimit.rules.async.phase=filter",
            "ratelimit.rules.forwarding.phase=filter",
            "ratelimit.rules.target.phase=filter",
            "ratelimit.rules.including.phase=filter",
            "ratelimit.rules.responses.phase=filter",
            "ratelimit.rules.cross-origin.phase=filter",
            "ratelimit.rules.refused.phase=filter",
            "ratelimit.rules.address.phase=filter",
            "ratelimit.rules.api-key.phase=filter",
            "ratelimit.rules.session.phase=filter",
            "ratelimit.rules.cookie.phase=filter",
            "ratelimit.rules.query.phase=filter",
            "ratelimit.rules.resolver.phase=filter",
            "ratelimit.rules.expensive.phase=filter",
            "ratelimit.rules.shared.phase=filter"
        })
@interface InFilterPhase {}
