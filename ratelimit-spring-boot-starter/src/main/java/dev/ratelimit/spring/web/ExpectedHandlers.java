package dev.ratelimit.spring.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.servlet.FrameworkServlet;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;

/** Asks the handler mappings who will handle a request, before Spring MVC does. */
final class ExpectedHandlers {

    private final ListableBeanFactory beans;

    ExpectedHandlers(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Finds the handler.
     *
     * @param request with its parsed path
     * @return the handler and its interceptors; null if no mapping has one
     * @throws ServletException if a mapping refuses the request
     */
    @Nullable HandlerExecutionChain find(HttpServletRequest request) throws ServletException {
        HttpServletRequest unchanged = new OwnAttributesRequest(request);
        for (HandlerMapping mapping : mappings(request)) {
            HandlerExecutionChain chain = handler(mapping, unchanged);
            if (chain != null) {
                return chain;
            }
        }
        return null;
    }

    private static @Nullable HandlerExecutionChain handler(
            HandlerMapping mapping, HttpServletRequest request) throws ServletException {
        try {
            return mapping.getHandler(request);
        } catch (ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    private List<HandlerMapping> mappings(HttpServletRequest request) {
        String servlet = request.getHttpServletMapping().getServletName();
        Object own =
                request.getServletContext()
                        .getAttribute(FrameworkServlet.SERVLET_CONTEXT_PREFIX + servlet);
        List<HandlerMapping> mappings =
                new ArrayList<>(
                        BeanFactoryUtils.beansOfTypeIncludingAncestors(
                                        own instanceof ListableBeanFactory ofServlet
                                                ? ofServlet
                                                : beans,
                                        HandlerMapping.class,
                                        true,
                                        false)
                                .values());
        AnnotationAwareOrderComparator.sort(mappings);
        return mappings;
    }

    /** What the mappings note about a request is not seen by those who handle it. */
    private static final class OwnAttributesRequest extends HttpServletRequestWrapper {

        private final Map<String, @Nullable Object> own = new HashMap<>();

        OwnAttributesRequest(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable Object getAttribute(String name) {
            return own.containsKey(name) ? own.get(name) : super.getAttribute(name);
        }

        @Override
        public void setAttribute(String name, @Nullable Object value) {
            own.put(name, value);
        }

        @Override
        public void removeAttribute(String name) {
            own.put(name, null);
        }
    }
}
