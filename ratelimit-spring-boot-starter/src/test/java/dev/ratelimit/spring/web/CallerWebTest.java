package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

class CallerWebTest extends WebTest {

    @Autowired Rules rules;
    private MockMvc mvc;

    @Autowired
    void context(WebApplicationContext context) {
        mvc = MockMvcBuilders.webAppContextSetup(context).build();
    }

    @Test
    void each_address_is_a_client() {
        assertThat(statuses(6, "/address")).endsWith(200, 429);
        assertThat(http.sendFrom("127.0.0.2", "GET", "/address").status()).isEqualTo(200);
    }

    @Test
    void no_header_makes_another_client() {
        for (int i = 0; i < 5; i++) {
            assertThat(forged(i).status()).isEqualTo(200);
        }
        assertThat(forged(5).status()).isEqualTo(429);
    }

    private Response forged(int i) {
        return http.get(
                "/address",
                "X-Forwarded-For: 198.51.100." + i,
                "X-Real-IP: 198.51.100." + i,
                "Forwarded: for=198.51.100." + i,
                "True-Client-IP: 198.51.100." + i,
                "CF-Connecting-IP: 198.51.100." + i);
    }

    @Test
    void a_network_of_ipv6_addresses_is_one_client() throws Exception {
        for (int host = 1; host <= 5; host++) {
            assertThat(from("/address", "2001:db8:1:2::" + host).getStatus()).isEqualTo(200);
        }
        assertThat(from("/address", "2001:db8:1:2:ffff::6").getStatus()).isEqualTo(429);
        assertThat(from("/address", "2001:db8:1:3::1").getStatus()).isEqualTo(200);
    }

    @Test
    void a_port_is_not_part_of_an_address() throws Exception {
        for (int port = 1; port <= 5; port++) {
            assertThat(from("/address", "203.0.113.9:5000" + port).getStatus()).isEqualTo(200);
        }
        assertThat(from("/address", "::ffff:203.0.113.9").getStatus()).isEqualTo(429);
    }

    @Test
    void without_a_header_its_rule_counts_addresses() throws Exception {
        assertThat(statuses(3, "/api-key")).containsOnly(200);
        assertThat(statuses(2, "/api-key", "X-API-Key: ")).containsOnly(429);
        assertThat(statuses(2, "/api-key", "X-API-Key:  \t ")).containsOnly(429);
        assertThat(http.sendFrom("127.0.0.2", "GET", "/api-key").status()).isEqualTo(200);
        assertThat(http.get("/api-key", "X-API-Key: 127.0.0.1").remaining()).isEqualTo("2");
        assertThat(from("/api-key", null).getStatus()).isEqualTo(200);
    }

    @Test
    void spaces_and_the_case_of_its_name_make_no_other_header() {
        assertThat(http.get("/api-key", "X-API-Key: KEY1").remaining()).isEqualTo("2");
        assertThat(http.get("/api-key", "x-api-key:   KEY1").remaining()).isEqualTo("1");
        assertThat(http.get("/api-key", "X-Api-KEY: KEY1\t").remaining()).isEqualTo("0");
        assertThat(http.get("/api-key", "X-API-Key: KEY2").remaining()).isEqualTo("2");
    }

    @Test
    void a_stranger_reaches_the_handler_and_is_counted_by_address() {
        Response stranger = http.get("/by-user");
        assertThat(stranger.status()).isEqualTo(200);
        assertThat(stranger.remaining()).isEqualTo("2");
        assertThat(http.sendFrom("127.0.0.2", "GET", "/by-user").remaining()).isEqualTo("2");
        assertThat(http.get("/by-user", "X-User: ann").remaining()).isEqualTo("2");
        assertThat(http.get("/by-user", "X-User: 127.0.0.1").remaining()).isEqualTo("2");
        assertThat(http.sendFrom("127.0.0.2", "GET", "/by-user", "X-User: ann").remaining())
                .isEqualTo("1");
    }

    @Test
    void sessions_are_counted_but_never_made() {
        Response response = http.get("/session");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.all("Set-Cookie")).isEmpty();

        String session = http.get("/login").body();
        assertThat(http.get("/session", "Cookie: JSESSIONID=" + session).status()).isEqualTo(200);
        assertThat(http.get("/session", "Cookie: JSESSIONID=" + session).status()).isEqualTo(429);
        assertThat(http.get("/session", "Cookie: JSESSIONID=invented").status()).isEqualTo(429);
        assertThat(ids("session")).noneMatch(id -> id.contains(session));
    }

    @Test
    void cookies_and_parameters_and_beans_say_who_is_counted() {
        assertThat(http.get("/cookie", "Cookie: a=1; id=7").status()).isEqualTo(200);
        assertThat(http.get("/cookie", "Cookie: id=7; b=2").status()).isEqualTo(429);
        assertThat(http.get("/cookie", "Cookie: id=8").status()).isEqualTo(200);

        assertThat(http.get("/query?tenant=7").status()).isEqualTo(200);
        assertThat(http.get("/query?x=1&%74enant=%37").status()).isEqualTo(429);
        assertThat(http.get("/query?tenant=8").status()).isEqualTo(200);

        assertThat(http.get("/resolver", "X-Tenant: 7").status()).isEqualTo(200);
        assertThat(http.get("/resolver", "X-Tenant: 7").status()).isEqualTo(429);
        assertThat(http.get("/resolver", "X-Tenant: 8").status()).isEqualTo(200);
    }

    @Test
    void secrets_are_neither_in_answers_nor_among_the_keys() {
        Response refused = last(4, "/api-key", "X-API-Key: sk_live_SECRET");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.headers() + refused.body()).doesNotContain("SECRET");
        assertThat(ids("api-key")).isNotEmpty().noneMatch(id -> id.contains("SECRET"));
    }

    private List<String> ids(String name) {
        Rule rule = rules.find(name);
        return rule.busyKeys().busiest(100).stream().map(busy -> busy.key().id()).toList();
    }

    private MockHttpServletResponse from(String path, String address) throws Exception {
        return mvc.perform(
                        MockMvcRequestBuilders.request(HttpMethod.GET, path)
                                .with(
                                        request -> {
                                            request.setRemoteAddr(address);
                                            return request;
                                        }))
                .andReturn()
                .getResponse();
    }
}
