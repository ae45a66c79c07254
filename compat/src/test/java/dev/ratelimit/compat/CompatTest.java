package dev.ratelimit.compat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.ManualTimeSource;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests of {@link CompatApplication} on a real server; one context serves all that are alike. */
@SpringBootTest(classes = CompatApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class CompatTest {

    @Autowired ManualTimeSource time;
    private Client client;

    @Autowired
    void port(@LocalServerPort int port) {
        client = new Client(port);
    }

    /** What earlier tests spent is earned again, and a new day begins. */
    @BeforeEach
    void aYearLater() {
        Instant now = Instant.ofEpochSecond(0, time.epochNanos());
        time.set(now.plus(365, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS));
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) {
        return client.send(method, path, body, headers);
    }

    HttpResponse<String> get(String path, String... headers) {
        return client.get(path, headers);
    }

    int status(String path, String... headers) {
        return get(path, headers).statusCode();
    }

    List<Integer> statuses(int times, String path, String... headers) {
        return client.statuses(times, path, headers);
    }

    static String header(HttpResponse<String> response, String name) {
        return String.join(" and ", response.headers().allValues(name));
    }

    static <T> T json(HttpResponse<String> response, String path) {
        return JsonPath.read(response.body(), path);
    }
}
