package dev.ratelimit.spring.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Iterator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsProcessor;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Writes the CORS fields of an answer that is given before Spring Security and Spring MVC could
 * write them: without, scripts of other origins would see a failure and not a refusal.
 */
public final class CorsFields {

    private static final Log LOGGER = LogFactory.getLog(CorsFields.class);

    private static final boolean HAS_SECURITY =
            ClassUtils.isPresent(
                    "org.springframework.security.web.SecurityFilterChain",
                    CorsFields.class.getClassLoader());

    private final ListableBeanFactory beans;
    private final ExpectedHandlers handlers;
    private final CorsProcessor processor = new DefaultCorsProcessor();

    /**
     * Makes this.
     *
     * @param beans has what CORS is configured with
     */
    public CorsFields(ListableBeanFactory beans) {
        this.beans = beans;
        this.handlers = new ExpectedHandlers(beans);
    }

    /** Writes the fields, unless they are there or the origin is not allowed. */
    void write(HttpServletRequest request, HttpServletResponse response) {
        if (!CorsUtils.isCorsRequest(request)
                || response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
            return;
        }
        HttpServletResponse fields = new FieldsOnlyResponse(response);
        FilterChain mvc = (same, sameFields) -> writeAsMvc(request, fields);
        try {
            CorsFilter filter = filter(request);
            if (filter == null) {
                mvc.doFilter(request, fields);
            } else {
                filter.doFilter(request, fields, mvc);
            }
        } catch (IOException | ServletException | RuntimeException e) {
            LOGGER.debug("A refusal has no CORS fields", e);
        }
    }

    private @Nullable CorsFilter filter(HttpServletRequest request) {
        Iterator<CorsFilter> filters = beans.getBeansOfType(CorsFilter.class).values().iterator();
        if (filters.hasNext()) {
            return filters.next();
        }
        return HAS_SECURITY ? SecurityCorsFilter.find(beans, request) : null;
    }

    private void writeAsMvc(HttpServletRequest request, HttpServletResponse fields)
            throws IOException, ServletException {
        HandlerExecutionChain chain = handlers.find(request);
        if (chain == null) {
            return;
        }
        for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
            if (interceptor instanceof CorsConfigurationSource source) {
                CorsConfiguration configuration = source.getCorsConfiguration(request);
                processor.processRequest(configuration, request, fields);
                return;
            }
        }
    }
}
