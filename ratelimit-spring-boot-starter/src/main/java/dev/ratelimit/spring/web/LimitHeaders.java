package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpHeaders;

/** Shows clients their limits in header fields, where that is still possible. */
public final class LimitHeaders {

    private final HeaderFields[] styles;
    private final List<String> names = new ArrayList<>();
    private final boolean expose;

    /**
     * Makes this.
     *
     * @param styles all of them are written
     * @param expose whether scripts of other origins may see the fields
     */
    public LimitHeaders(List<HeaderFields> styles, boolean expose) {
        this.styles = styles.toArray(HeaderFields[]::new);
        this.expose = expose;
        styles.forEach(style -> names.addAll(style.names()));
    }

    /** Sets the fields for all that was decided on a request. */
    void write(HttpServletRequest request, HttpServletResponse response, Verdict all) {
        if (all.charges().isEmpty() || response.isCommitted()) {
            return;
        }
        for (HeaderFields style : styles) {
            style.set(response, all);
        }
        expose(request, response, names);
    }

    /** Names fields to browsers, beside what the application names already. */
    void expose(HttpServletRequest request, HttpServletResponse response, List<String> fields) {
        if (!isExposed(request) || fields.isEmpty()) {
            return;
        }
        String before =
                String.join(", ", response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS));
        StringBuilder exposed = new StringBuilder(before);
        for (String field : fields) {
            if (!contains(before, field)) {
                exposed.append(exposed.isEmpty() ? "" : ", ").append(field);
            }
        }
        if (exposed.length() > before.length()) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, exposed.toString());
        }
    }

    private boolean isExposed(HttpServletRequest request) {
        return expose && request.getHeader(HttpHeaders.ORIGIN) != null;
    }

    private static boolean contains(String list, String name) {
        for (String member : list.split(",", -1)) {
            if (member.strip().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    /** The response for what comes next, which may expose fields of its own in place of these. */
    HttpServletResponse keepExposed(HttpServletRequest request, HttpServletResponse response) {
        return isExposed(request) ? new ExposingResponse(request, response) : response;
    }

    private final class ExposingResponse extends HttpServletResponseWrapper {

        private final HttpServletRequest request;
        private final HttpServletResponse response;

        ExposingResponse(HttpServletRequest request, HttpServletResponse response) {
            super(response);
            this.request = request;
            this.response = response;
        }

        @Override
        public void setHeader(String name, String value) {
            super.setHeader(name, value);
            exposeAgain(name);
        }

        @Override
        public void addHeader(String name, String value) {
            super.addHeader(name, value);
            exposeAgain(name);
        }

        private void exposeAgain(String name) {
            if (name.equalsIgnoreCase(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS)) {
                expose(request, response, names);
            }
        }
    }
}
