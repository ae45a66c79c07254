package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.RateLimitRejectionHandler;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.HandlerRules;
import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.ActuatorEndpoints;
import dev.ratelimit.spring.web.ClientAddress;
import dev.ratelimit.spring.web.CorsFields;
import dev.ratelimit.spring.web.Draft11HeaderFields;
import dev.ratelimit.spring.web.HandlerVariables;
import dev.ratelimit.spring.web.HeaderFields;
import dev.ratelimit.spring.web.LegacyHeaderFields;
import dev.ratelimit.spring.web.LimitHeaders;
import dev.ratelimit.spring.web.PathRules;
import dev.ratelimit.spring.web.RateLimitExceptionResolver;
import dev.ratelimit.spring.web.RateLimitFilter;
import dev.ratelimit.spring.web.RateLimitInterceptor;
import dev.ratelimit.spring.web.RejectionWriter;
import dev.ratelimit.spring.web.RequestGate;
import dev.ratelimit.spring.web.ServletCallers;
import dev.ratelimit.spring.web.ServletCurrentCaller;
import dev.ratelimit.spring.web.SettlementFilter;
import jakarta.servlet.DispatcherType;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.util.pattern.PathPatternParser;

/** Requests of Spring MVC. */
@AutoConfiguration(
        after = {RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(WebMvcConfigurer.class)
public final class RateLimitWebAutoConfiguration {

    private static final String MVC_PATTERN_PARSER = "mvcPatternParser";

    /** The constant has another class in each line of Spring Boot. */
    private static final int DEFAULT_SECURITY_ORDER = -100;

    @Bean
    PathRules rateLimitPathRules(Rules rules, BeanFactory beans) {
        return new PathRules(rules, () -> patternParser(beans));
    }

    private static PathPatternParser patternParser(BeanFactory beans) {
        return beans.containsBean(MVC_PATTERN_PARSER)
                ? beans.getBean(MVC_PATTERN_PARSER, PathPatternParser.class)
                : PathPatternParser.defaultInstance;
    }

    @Bean
    ServletCallers rateLimitServletCallers(
            RateLimitProperties properties, PathRules pathRules, BeanFactory beans) {
        RateLimitProperties.ClientIp clientIp = properties.clientIp();
        ClientAddress clientAddress =
                new ClientAddress(
                        clientIp.trustedNetworks(), clientIp.header(), clientIp.ipv6Prefix());
        return new ServletCallers(clientAddress, pathRules, beans);
    }

    @Bean
    CurrentCaller rateLimitCurrentCaller(ServletCallers callers, LimitHeaders headers) {
        return new ServletCurrentCaller(callers, headers);
    }

    @Bean
    LimitHeaders rateLimitHeaders(RateLimitProperties properties) {
        List<HeaderFields> styles =
                properties.headers().styles().stream()
                        .distinct()
                        .map(RateLimitWebAutoConfiguration::headerFields)
                        .toList();
        return new LimitHeaders(styles, properties.headers().expose());
    }

    private static HeaderFields headerFields(RateLimitProperties.HeaderStyle style) {
        return switch (style) {
            case LEGACY -> new LegacyHeaderFields();
            case DRAFT_11 -> new Draft11HeaderFields();
        };
    }

    @Bean
    RejectionWriter rateLimitRejectionWriter(
            LimitHeaders headers, ObjectProvider<RateLimitRejectionHandler> handlers) {
        return new RejectionWriter(headers, handlers);
    }

    @Bean
    RateLimitExceptionResolver rateLimitExceptionResolver(
            LimitHeaders headers, RejectionWriter rejections) {
        return new RateLimitExceptionResolver(headers, rejections);
    }

    @Bean
    RequestGate rateLimitRequestGate(
            Decider decider,
            ServletCallers callers,
            LimitHeaders headers,
            RejectionWriter rejections) {
        return new RequestGate(decider, callers, headers, rejections);
    }

    @Bean
    RateLimitFilter rateLimitFilter(
            RequestGate gate,
            PathRules pathRules,
            LimitHeaders headers,
            ListableBeanFactory beans) {
        return new RateLimitFilter(
                gate, pathRules, new ActuatorEndpoints(beans), new CorsFields(beans), headers);
    }

    /** Right before Spring Security, and after what tells how the request came in. */
    @Bean
    DelegatingFilterProxyRegistrationBean rateLimitFilterRegistration(Environment environment) {
        DelegatingFilterProxyRegistrationBean registration =
                new DelegatingFilterProxyRegistrationBean("rateLimitFilter");
        int security =
                environment.getProperty(
                        "spring.security.filter.order", Integer.class, DEFAULT_SECURITY_ORDER);
        registration.setOrder(Math.max(security, Integer.MIN_VALUE + 10) - 10);
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD);
        return registration;
    }

    @Bean
    SettlementFilter rateLimitSettlementFilter(PathRules pathRules, Decider decider) {
        return new SettlementFilter(pathRules, decider);
    }

    /** Outermost, since any other filter may change the status. */
    @Bean
    DelegatingFilterProxyRegistrationBean rateLimitSettlementFilterRegistration() {
        DelegatingFilterProxyRegistrationBean registration =
                new DelegatingFilterProxyRegistrationBean("rateLimitSettlementFilter");
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        return registration;
    }

    /** After the annotations have been read, which those of an earlier configuration are. */
    @Bean
    @ConditionalOnBean(HandlerRules.class)
    HandlerVariables rateLimitHandlerVariables(HandlerRules rules, ListableBeanFactory beans) {
        return new HandlerVariables(rules, beans);
    }

    /**
     * A bean and not the work of a WebMvcConfigurer, since only this reaches every HandlerMapping:
     * also those that the application declares, and all where it has a WebMvcConfigurationSupport
     * of its own.
     */
    @Bean
    MappedInterceptor rateLimitInterceptor(
            RequestGate gate, PathRules pathRules, ObjectProvider<HandlerRules> handlerRules) {
        // Later than this, since annotations are read when all beans are known.
        Supplier<HandlerRules> annotated =
                SingletonSupplier.of(
                        () -> handlerRules.getIfAvailable(() -> (method, type) -> List.of()));
        return new MappedInterceptor(
                null,
                new RateLimitInterceptor(
                        gate, pathRules, (method, type) -> annotated.get().of(method, type)));
    }
}
