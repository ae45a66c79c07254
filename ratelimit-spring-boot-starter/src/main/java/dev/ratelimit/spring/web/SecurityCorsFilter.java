package dev.ratelimit.spring.web;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.filter.CorsFilter;

/** Finds the filter that {@code http.cors()} makes. Only loaded where there is Spring Security. */
final class SecurityCorsFilter {

    private SecurityCorsFilter() {}

    static @Nullable CorsFilter find(ListableBeanFactory beans, HttpServletRequest request) {
        List<SecurityFilterChain> chains =
                beans.getBeanProvider(SecurityFilterChain.class).orderedStream().toList();
        for (SecurityFilterChain chain : chains) {
            if (chain.matches(request)) {
                for (Filter filter : chain.getFilters()) {
                    if (filter instanceof CorsFilter cors) {
                        return cors;
                    }
                }
                return null;
            }
        }
        return null;
    }
}
