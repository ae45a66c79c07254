package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.springframework.http.HttpHeaders;

/** Shows clients their limits in header fields, where that is still possible. */
public final class LimitHeaders {

    private final HeaderFields[] styles;
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
    }

    /** Sets the fields for all that was decided on a request. */
    void write(HttpServletRequest request, HttpServletResponse response, Verdict all) {
        if (all.charges().isEmpty() || response.isCommitted()) {
            return;
        }
        for (HeaderFields style : styles) {
            style.set(response, all);
            expose(request, response, style.names());
        }
    }

    /** Names fields to browsers, beside what the application names already. */
    void expose(HttpServletRequest request, HttpServletResponse response, List<String> names) {
        if (!expose || request.getHeader(HttpHeaders.ORIGIN) == null) {
            return;
        }
        String before =
                String.join(", ", response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS));
        StringBuilder exposed = new StringBuilder(before);
        for (String name : names) {
            if (!contains(before, name)) {
                exposed.append(exposed.isEmpty() ? "" : ", ").append(name);
            }
        }
        if (exposed.length() > before.length()) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, exposed.toString());
        }
    }

    private static boolean contains(String list, String name) {
        for (String member : list.split(",", -1)) {
            if (member.strip().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }
}
