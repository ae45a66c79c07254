package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class PathRuleWebTest extends WebTest {

    @Autowired Rules rules;

    @Test
    void no_spelling_of_a_path_reaches_the_handler_uncounted() {
        List<String> spellings =
                List.of(
                        "/api/clients",
                        "/api/clients/",
                        "/api/%63lients",
                        "/%61pi/clients",
                        "/api/clients;v=1",
                        "/api;x=y/clients;jsessionid=1",
                        "/api/clients/;a",
                        "/api/./clients",
                        "/api/../api/clients",
                        "//api/clients",
                        "/api//clients",
                        "/api/CLIENTS",
                        "/api/big%2dclients",
                        "/api/big%2Dclients",
                        "/api/big-clients",
                        "http://localhost/api/clients",
                        "/api/clients?x=/other",
                        "/api/clients#other",
                        "/api%2Fclients",
                        "/api/clients%00",
                        "/api/clients%3b",
                        "/api/%2563lients");
        for (String spelling : spellings) {
            aYearLater();
            for (int i = 0; i < 5; i++) {
                Response response = http.get(spelling);
                if (response.body().equals("ok")) {
                    assertThat(response.limit()).as(spelling).isEqualTo("3");
                }
            }
            assertThat(hits.take("clients")).as(spelling).isLessThanOrEqualTo(3);
        }
        aYearLater();
        for (int i = 0; i < 2; i++) {
            spellings.forEach(http::get);
        }
        assertThat(hits.take("clients")).as("mixed").isEqualTo(3);
    }

    @Test
    void all_ids_count_together_unless_the_id_is_the_key() {
        List<Integer> statuses = new ArrayList<>();
        for (int id = 1; id <= 5; id++) {
            statuses.add(http.get("/api/items/" + id).status());
        }
        assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
        assertThat(rules.find("item").limits().size()).isEqualTo(1);

        aYearLater();
        assertThat(http.send("POST", "/api/items/1", "Content-Length: 0").status()).isEqualTo(200);
        assertThat(http.send("POST", "/api/items/2", "Content-Length: 0").status()).isEqualTo(200);
        assertThat(http.send("POST", "/api/items/%31;x", "Content-Length: 0").status())
                .isEqualTo(429);
    }

    @Test
    void a_variable_that_the_handler_does_not_have_is_read_by_the_pattern_of_the_rule() {
        assertThat(statuses(2, "/shops/1/items")).containsExactly(200, 429);
        assertThat(statuses(2, "/shops/2/other")).containsExactly(200, 429);
        assertThat(http.get("/shops/%31/more").status()).isEqualTo(429);
        assertThat(http.get("/shops/3/more").status()).isEqualTo(200);
    }

    @Test
    void the_query_is_not_part_of_the_path() {
        assertThat(http.get("/search?q=a").remaining()).isEqualTo("2");
        assertThat(http.get("/search?q=b&x=/other").remaining()).isEqualTo("1");
        assertThat(http.get("/search").remaining()).isEqualTo("0");
        assertThat(http.get("/search?q=c").status()).isEqualTo(429);
    }

    @Test
    void get_covers_head_and_nothing_else() {
        assertThat(http.get("/head").remaining()).isEqualTo("2");
        assertThat(http.send("HEAD", "/head").remaining()).isEqualTo("1");
        assertThat(http.send("POST", "/head", "Content-Length: 0").limit()).isNull();
        assertThat(http.get("/head").remaining()).isEqualTo("0");
        assertThat(http.send("HEAD", "/head").status()).isEqualTo(429);
    }

    @Test
    void the_general_and_the_special_rule_both_apply() {
        Response response = http.get("/both/validate");
        assertThat(response.limit()).isEqualTo("2");
        assertThat(response.remaining()).isEqualTo("1");
        assertThat(http.get("/both/other").remaining()).isEqualTo("0");
        assertThat(http.get("/both/validate").status()).isEqualTo(429);
        assertThat(rules.find("special").limits().limits()).hasSize(1);
    }

    @Test
    void excluded_paths_are_free() {
        assertThat(statuses(5, "/both/free/lunch")).containsOnly(200);
        assertThat(http.get("/both/free").limit()).isNull();
        assertThat(http.get("/both/freedom").limit()).isEqualTo("2");
    }

    @Test
    void rules_for_one_user_share_nothing() {
        assertThat(statuses(11, "/a", "X-User: ann")).endsWith(200, 429);
        assertThat(statuses(6, "/b", "X-User: ann")).containsExactly(200, 200, 200, 200, 200, 429);
    }

    @Test
    void what_one_rule_refuses_spends_nothing_of_another() {
        assertThat(statuses(20, "/x", "X-User: a")).startsWith(200, 429).containsOnlyOnce(200);
        for (char user = 'b'; user <= 'j'; user++) {
            assertThat(http.get("/x", "X-User: " + user).status()).isEqualTo(200);
        }
        assertThat(http.get("/x", "X-User: k").status()).isEqualTo(429);
    }

    @Test
    void what_one_limit_refuses_spends_nothing_of_another() {
        assertThat(statuses(2, "/at-once")).containsExactly(200, 429);
        time.advance(Duration.ofSeconds(1));
        assertThat(statuses(2, "/at-once")).containsExactly(200, 429);
    }

    @Test
    void a_request_can_cost_several_permits() {
        assertThat(http.get("/expensive").remaining()).isEqualTo("1");
        assertThat(http.get("/expensive").status()).isEqualTo(429);
    }

    @Test
    void functional_endpoints_are_limited_too() {
        assertThat(statuses(2, "/refused/function")).containsExactly(200, 429);
    }
}
