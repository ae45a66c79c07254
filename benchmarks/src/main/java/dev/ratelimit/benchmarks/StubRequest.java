package dev.ratelimit.benchmarks;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.MappingMatch;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;

/** A GET request that allocates next to nothing. What is not overridden here is never called. */
final class StubRequest extends HttpServletRequestWrapper {

    /** That of a servlet for all paths. */
    private static final HttpServletMapping MAPPING = new DefaultMapping();

    private final String path;
    private final String[] names = new String[32];
    private final Object[] values = new Object[32];
    private int attributes;
    private String remoteAddr;

    StubRequest(String path) {
        super(Unsupported.of(HttpServletRequest.class));
        this.path = path;
    }

    /** Makes this a new request. */
    void begin(String address) {
        remoteAddr = address;
        Arrays.fill(names, 0, attributes, null);
        Arrays.fill(values, 0, attributes, null);
        attributes = 0;
    }

    @Override
    public String getRemoteAddr() {
        return remoteAddr;
    }

    @Override
    public Object getAttribute(String name) {
        int index = indexOf(name);
        return index < 0 ? null : values[index];
    }

    @Override
    public void setAttribute(String name, Object value) {
        if (value == null) {
            removeAttribute(name);
            return;
        }
        int index = indexOf(name);
        if (index < 0) {
            index = attributes++;
            names[index] = name;
        }
        values[index] = value;
    }

    @Override
    public void removeAttribute(String name) {
        int index = indexOf(name);
        if (index >= 0) {
            attributes--;
            names[index] = names[attributes];
            values[index] = values[attributes];
        }
    }

    private int indexOf(String name) {
        for (int i = 0; i < attributes; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String getMethod() {
        return "GET";
    }

    @Override
    public String getRequestURI() {
        return path;
    }

    @Override
    public String getContextPath() {
        return "";
    }

    @Override
    public String getServletPath() {
        return path;
    }

    @Override
    public String getQueryString() {
        return null;
    }

    @Override
    public HttpServletMapping getHttpServletMapping() {
        return MAPPING;
    }

    @Override
    public DispatcherType getDispatcherType() {
        return DispatcherType.REQUEST;
    }

    @Override
    public String getHeader(String name) {
        return null;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return Collections.emptyEnumeration();
    }

    @Override
    public String getCharacterEncoding() {
        return "UTF-8";
    }

    @Override
    public String getContentType() {
        return null;
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return Map.of();
    }

    @Override
    public HttpSession getSession(boolean create) {
        return null;
    }

    @Override
    public Principal getUserPrincipal() {
        return null;
    }

    @Override
    public String getRemoteUser() {
        return null;
    }

    @Override
    public Locale getLocale() {
        return Locale.ROOT;
    }

    private static final class DefaultMapping implements HttpServletMapping {

        @Override
        public String getMatchValue() {
            return "";
        }

        @Override
        public String getPattern() {
            return "/";
        }

        @Override
        public String getServletName() {
            return "dispatcherServlet";
        }

        @Override
        public MappingMatch getMappingMatch() {
            return MappingMatch.DEFAULT;
        }
    }
}
