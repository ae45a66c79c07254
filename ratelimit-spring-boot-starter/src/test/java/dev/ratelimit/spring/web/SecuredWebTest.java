package dev.ratelimit.spring.web;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests of {@link SecuredSite} on a real server; one context serves them all. */
@SpringBootTest(
        classes = SecuredSite.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"spring.config.location=classpath:web-secured.yml", "test.security=true"})
abstract class SecuredWebTest {

    static final String WRONG = "Authorization: Basic " + basic("ann:wrong");
    static final String RIGHT = "Authorization: Basic " + basic("ann:right");

    @Autowired ManualTimeSource time;
    RawHttp http;

    @Autowired
    void port(@LocalServerPort int port) {
        http = new RawHttp(port);
    }

    /** What earlier tests spent is earned again, and a new day begins. */
    @BeforeEach
    void aYearLater() {
        Instant now = Instant.ofEpochSecond(0, time.epochNanos());
        time.set(now.plus(365, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS));
    }

    List<Integer> statuses(int times, String target, String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(http.get(target, headers).status());
        }
        return statuses;
    }

    Response logIn(String password) {
        return http.send("POST", "/login?username=ann&password=" + password, "Content-Length: 0");
    }

    private static String basic(String userAndPassword) {
        return Base64.getEncoder()
                .encodeToString(userAndPassword.getBytes(StandardCharsets.US_ASCII));
    }
}
