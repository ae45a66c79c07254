package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndpointTest extends CompatTest {

    private static final String OPERATED = "/actuator/ratelimits/operated";
    private static final String[] JSON = {"Content-Type", "application/json"};

    @BeforeEach
    void spend() {
        assertThat(send("POST", OPERATED, limit(1), JSON).statusCode()).isEqualTo(204);
        assertThat(statuses(2, "/operated")).containsExactly(200, 429);
    }

    @Test
    void it_lists_the_rules_of_every_source() {
        HttpResponse<String> all = get("/actuator/ratelimits");
        assertThat(CompatTest.<String>json(all, "$.store")).isEqualTo("in-memory");
        assertThat(CompatTest.<List<String>>json(all, "$.rules[*].name"))
                .contains("search", "in-java", "Converter.convert", "whole-type");
        List<Map<String, Object>> search = json(all, "$.rules[?(@.name == 'search')]");
        assertThat(search).hasSize(1);
        assertThat(search.get(0))
                .containsEntry("source", "properties")
                .containsEntry("paths", List.of("/search/**"))
                .containsEntry("methods", List.of("GET"))
                .containsEntry("key", List.of("ip"))
                .containsEntry("mode", "enforce")
                .containsEntry(
                        "limits",
                        List.of(
                                Map.of(
                                        "requests",
                                        2,
                                        "window",
                                        "PT1M",
                                        "burst",
                                        2,
                                        "strategy",
                                        "token-bucket")))
                .containsKeys("allowed", "rejected", "buckets");
    }

    @Test
    void it_shows_a_rule_and_its_busiest_keys() {
        HttpResponse<String> rule = get(OPERATED);
        assertThat(CompatTest.<String>json(rule, "$.top[0].id")).isEqualTo("127.0.0.1");
        assertThat(CompatTest.<Integer>json(rule, "$.top[0].remaining")).isZero();
        assertThat(status("/actuator/ratelimits/nobody")).isEqualTo(404);
    }

    @Test
    void it_resets_one_key() {
        assertThat(send("DELETE", OPERATED + "?key=127.0.0.1", "").statusCode()).isEqualTo(204);
        assertThat(statuses(2, "/operated")).containsExactly(200, 429);
        assertThat(send("DELETE", OPERATED, "").statusCode()).isEqualTo(400);
    }

    @Test
    void it_changes_a_limit() {
        assertThat(send("POST", OPERATED, limit(3), JSON).statusCode()).isEqualTo(204);
        assertThat(statuses(3, "/operated")).containsExactly(200, 200, 429);
        assertThat(send("POST", OPERATED, limit(0), JSON).statusCode()).isEqualTo(400);
        assertThat(send("POST", OPERATED, "{}", JSON).statusCode()).isEqualTo(400);
    }

    private static String limit(int requests) {
        return "{\"requests\":" + requests + ",\"window\":\"1m\"}";
    }
}
