package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.web.RawHttp.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.json.JsonParserFactory;

class RejectionWebTest extends WebTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept: application/json",
                "Accept: application/problem+json",
                "Accept: text/html",
                "Accept: */*",
                "Accept: image/png",
                "Accept: nonsense",
                "X-No-Accept: at all"
            })
    void whatever_a_client_accepts_the_answer_is_a_problem(String header) {
        Response response = last(2, "/refused", header);

        assertThat(response.status()).isEqualTo(429);
        assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(response.header("Content-Length"))
                .isEqualTo(
                        Integer.toString(response.body().getBytes(StandardCharsets.UTF_8).length));
        assertThat(json(response))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "type",
                                "https://iana.org/assignments/http-problem-types#quota-exceeded",
                                "title",
                                "Request cannot be satisfied as assigned quota has been exceeded",
                                "status",
                                429,
                                "detail",
                                "Too many requests. Try again in 60 seconds.",
                                "instance",
                                "/refused",
                                "violated-policies",
                                List.of("refused")));
    }

    @Test
    void head_has_the_fields_and_no_body() {
        http.get("/refused");
        Response refused = http.send("HEAD", "/refused");
        Response withBody = http.get("/refused");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.body()).isEmpty();
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("Content-Length")).isEqualTo(withBody.header("Content-Length"));
        assertThat(refused.retryAfter()).isEqualTo("60");
        assertThat(refused.limit()).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({
        "/refused/x?secret=1, /refused/x",
        "/refused/x;jsessionid=SECRET/y;a=b?q, /refused/x/y",
        "/refused/%3Cscript%3E%22, /refused/%3Cscript%3E%22",
        "/refused/'&, /refused/'&",
    })
    void the_instance_is_the_path_without_query_and_parameters(String target, String instance) {
        Response response = last(2, target);
        assertThat(response.status()).isEqualTo(429);
        assertThat(json(response)).containsEntry("instance", instance);
        assertThat(response.body()).doesNotContain("'", "&");
    }

    @Test
    void a_refused_request_does_not_reach_the_handler() {
        last(5, "/refused");
        assertThat(hits.take("/refused")).isEqualTo(1);
    }

    @Test
    void unnamed_annotations_have_a_name_of_their_own_in_the_body() {
        last(3, "/annotated/twice");
        time.advance(Duration.ofMinutes(1));
        assertThat(json(http.get("/annotated/twice")))
                .containsEntry("violated-policies", List.of("default-2"));
    }

    private static Map<String, Object> json(Response response) {
        return JsonParserFactory.getJsonParser().parseMap(response.body());
    }
}
