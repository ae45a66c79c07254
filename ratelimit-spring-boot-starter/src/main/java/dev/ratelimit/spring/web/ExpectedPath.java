package dev.ratelimit.spring.web;

import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The path of a request that no servlet has seen yet. Spring will parse what the client wrote; the
 * container has decoded it, and has taken out dots and double slashes. Whatever answers the request
 * can go by either.
 *
 * @param parsed as Spring will have it
 * @param normalized the path within the application as the container has it; null if that is the
 *     same
 */
record ExpectedPath(RequestPath parsed, @Nullable PathContainer normalized) {

    static ExpectedPath of(HttpServletRequest request) {
        HttpServletMapping mapping = request.getHttpServletMapping();
        boolean hasPrefix = mapping.getMappingMatch() == MappingMatch.PATH;
        boolean isMvc = !hasPrefix || isDispatcherServlet(request, mapping.getServletName());
        String servletPath = request.getServletPath();
        String pathInfo = Objects.requireNonNullElse(request.getPathInfo(), "");
        String normalized = hasPrefix && isMvc ? pathInfo : servletPath + pathInfo;
        RequestPath parsed = parse(request, isMvc);
        if (parsed == null) {
            PathContainer path = RoutedPath.literal(normalized);
            return new ExpectedPath(RequestPath.parse(path.value(), ""), null);
        }
        String whole = request.getContextPath() + servletPath + pathInfo;
        boolean same = normalized.isEmpty() || whole.equals(request.getRequestURI());
        return new ExpectedPath(parsed, same ? null : RoutedPath.literal(normalized));
    }

    /** In the servlets of others, the prefix of the servlet is part of the path. */
    private static boolean isDispatcherServlet(HttpServletRequest request, String servlet) {
        ServletRegistration registration =
                request.getServletContext().getServletRegistration(servlet);
        String type = registration == null ? null : registration.getClassName();
        if (type == null || type.equals(DispatcherServlet.class.getName())) {
            return true;
        }
        try {
            ClassLoader loader = request.getServletContext().getClassLoader();
            return DispatcherServlet.class.isAssignableFrom(ClassUtils.forName(type, loader));
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Null where context and servlet are written in a way that Spring does not find them. */
    private static @Nullable RequestPath parse(HttpServletRequest request, boolean isMvc) {
        Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
        try {
            return isMvc
                    ? ServletRequestPathUtils.parseAndCache(request)
                    : RequestPath.parse(request.getRequestURI(), request.getContextPath());
        } catch (RuntimeException e) {
            return null;
        } finally {
            request.setAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE, before);
        }
    }
}
