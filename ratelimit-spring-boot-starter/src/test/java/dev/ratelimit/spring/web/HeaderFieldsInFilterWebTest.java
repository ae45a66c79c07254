package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.web.RawHttp.Response;
import org.junit.jupiter.api.Test;

@InFilterPhase
class HeaderFieldsInFilterWebTest extends HeaderFieldsWebTest {

    /** The filter comes before who commits the response. */
    @Override
    @Test
    void a_committed_response_goes_on_without_fields_and_ends_when_refused() {
        Response response = http.get("/responses/committed");
        assertThat(response.body()).isEqualTo("earlylate");
        assertThat(response.limit()).isEqualTo("5");

        assertThat(last(5, "/responses/committed").status()).isEqualTo(429);
    }
}
