package dev.ratelimit.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The path by which Spring chose the handler: within the application, parsed, and compared without
 * regard to encoding and to parameters of its parts. Slashes at the end are left out, since an
 * application may map a path both with and without one.
 */
final class RoutedPath {

    /** Set where mappings match strings, with {@code ant_path_matcher}; decoded already. */
    private static final String STRING_PATH = "org.springframework.web.util.UrlPathHelper.PATH";

    private RoutedPath() {}

    static PathContainer of(HttpServletRequest request) {
        if (request.getAttribute(STRING_PATH) instanceof String path) {
            return withoutTrailingSlashes(literal(path));
        }
        if (ServletRequestPathUtils.hasParsedRequestPath(request)) {
            return withoutTrailingSlashes(
                    ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication());
        }
        RequestPath parsed = ServletRequestPathUtils.parseAndCache(request);
        ServletRequestPathUtils.clearParsedRequestPath(request);
        return withoutTrailingSlashes(parsed.pathWithinApplication());
    }

    /** A path that is decoded already. */
    static PathContainer literal(String path) {
        return PathContainer.parsePath(path.replace("%", "%25").replace(";", "%3B"));
    }

    static PathContainer withoutTrailingSlashes(PathContainer path) {
        List<PathContainer.Element> elements = path.elements();
        int end = elements.size();
        while (end > 1 && elements.get(end - 1) instanceof PathContainer.Separator) {
            end--;
        }
        return end == elements.size() ? path : path.subPath(0, end);
    }

    static String withoutTrailingSlashes(String path) {
        int end = path.length();
        while (end > 1 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(0, end);
    }
}
