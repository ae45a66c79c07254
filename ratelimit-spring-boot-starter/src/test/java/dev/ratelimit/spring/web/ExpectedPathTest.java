package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.MappingMatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPatternParser;

class ExpectedPathTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/shop/svc/search",
                "/shop/svc/%73earch",
                "/shop/svc/search;a=b",
                "/shop;a/svc/search",
                "/shop/svc;a/search",
                "/shop//svc/search",
                "//shop/svc/search",
                "/shop/svc/./search",
                "/x/../shop/svc/search"
            })
    void one_of_the_paths_is_that_within_the_servlet(String uri) {
        ExpectedPath path = ExpectedPath.of(request(uri));
        assertThat(
                        matches("/search", path.parsed().pathWithinApplication())
                                || (path.normalized() != null
                                        && matches("/search", path.normalized())))
                .isTrue();
    }

    @Test
    void a_path_in_its_plain_spelling_is_parsed_once() {
        assertThat(ExpectedPath.of(request("/shop/svc/search")).normalized()).isNull();
    }

    @Test
    void what_the_container_decoded_is_not_decoded_again() {
        MockHttpServletRequest request = request("/shop/svc/%2573earch");
        request.setPathInfo("/%73earch;x");
        ExpectedPath path = ExpectedPath.of(request);
        assertThat(matches("/search", path.normalized())).isFalse();
        assertThat(matches("/%73earch;x", path.normalized())).isTrue();
    }

    @Test
    void the_request_is_left_as_it_was() {
        MockHttpServletRequest request = request("/shop/svc/search");
        ExpectedPath.of(request);
        assertThat(ServletRequestPathUtils.hasParsedRequestPath(request)).isFalse();

        ServletRequestPathUtils.parseAndCache(request);
        Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
        ExpectedPath.of(request);
        assertThat(request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE)).isSameAs(before);
    }

    private static MockHttpServletRequest request(String uri) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", uri);
        request.setContextPath("/shop");
        request.setServletPath("/svc");
        request.setPathInfo("/search");
        request.setHttpServletMapping(
                new MockHttpServletMapping("svc", "/svc/*", "dispatcher", MappingMatch.PATH));
        return request;
    }

    private static boolean matches(String pattern, PathContainer path) {
        return PathPatternParser.defaultInstance.parse(pattern).matches(path);
    }
}
