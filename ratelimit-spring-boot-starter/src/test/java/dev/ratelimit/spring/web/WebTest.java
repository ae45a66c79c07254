package dev.ratelimit.spring.web;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.web.RawHttp.Response;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests of {@link WebLimits} on a real server; one context serves them all. */
@SpringBootTest(
        classes = WebLimits.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "spring.config.location=classpath:web-limits.yml")
abstract class WebTest {

    @Autowired ManualTimeSource time;
    @Autowired WebLimits.Hits hits;
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

    Response last(int times, String target, String... headers) {
        Response last = null;
        for (int i = 0; i < times; i++) {
            last = http.get(target, headers);
        }
        return last;
    }
}
