package dev.ratelimit.compat;

import com.jayway.jsonpath.JsonPath;
import dev.ratelimit.ManualTimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests of {@link CompatApplication} on a real server; one context serves all that are alike. */
@SpringBootTest(classes = CompatApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class CompatTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Autowired ManualTimeSource time;
    @LocalServerPort private int port;

    /** What earlier tests spent is earned again, and a new day begins. */
    @BeforeEach
    void aYearLater() {
        Instant now = Instant.ofEpochSecond(0, time.epochNanos());
        time.set(now.plus(365, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS));
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(method + " " + path, e);
        }
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    int status(String path, String... headers) {
        return get(path, headers).statusCode();
    }

    List<Integer> statuses(int times, String path, String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(status(path, headers));
        }
        return statuses;
    }

    static String header(HttpResponse<String> response, String name) {
        return String.join(" and ", response.headers().allValues(name));
    }

    static <T> T json(HttpResponse<String> response, String path) {
        return JsonPath.read(response.body(), path);
    }
}
