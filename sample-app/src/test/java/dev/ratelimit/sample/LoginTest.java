package dev.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

/** Guesses passwords, from several addresses of this machine. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class LoginTest {

    @TestConfiguration
    static class Clock {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        }
    }

    private static final Pattern COOKIE = Pattern.compile("(?i)Set-Cookie: (JSESSIONID=\\w+)");
    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"");

    @LocalServerPort private int port;
    @Autowired private ManualTimeSource timeSource;

    @BeforeEach
    void aMinuteLater() {
        timeSource.advance(Duration.ofMinutes(1));
    }

    @Test
    void five_wrong_passwords_pass_per_minute_and_a_right_one_elsewhere_still_works()
            throws Exception {
        List<String> guesses = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            guesses.add(status(login("127.0.0.1", "guess" + i)));
        }
        assertThat(guesses).containsExactly("401", "401", "401", "401", "401", "429");
        String refused = login("127.0.0.1", "secret");
        assertThat(status(refused)).isEqualTo("429");
        assertThat(refused).contains("Retry-After: 60", "application/problem+json", "\"login\"");

        String elsewhere = login("127.0.0.2", "secret");

        assertThat(status(elsewhere)).isEqualTo("302");
        String account =
                send("127.0.0.2", "GET /account", "Cookie: " + find(COOKIE, elsewhere), "");
        assertThat(status(account)).isEqualTo("200");
        assertThat(account).contains("Logged in as ann");

        timeSource.advance(Duration.ofMinutes(1));
        assertThat(status(login("127.0.0.1", "secret"))).isEqualTo("302");
    }

    @Test
    void right_passwords_are_not_counted() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThat(status(login("127.0.0.3", "secret"))).isEqualTo("302");
        }
    }

    @Test
    void strangers_are_sent_to_the_login_and_the_api_is_open() throws Exception {
        assertThat(send("127.0.0.4", "GET /account", "Accept: text/html", ""))
                .contains("302", "Location: ", "/login");
        assertThat(status(send("127.0.0.4", "GET /api/search?q=a", "", ""))).isEqualTo("200");
    }

    /** Fetches the form and sends it. */
    private String login(String address, String password) throws IOException {
        String form = send(address, "GET /login", "", "");
        String fields = "username=ann&password=" + password + "&_csrf=" + find(TOKEN, form);
        return send(
                address,
                "POST /login",
                "Content-Type: application/x-www-form-urlencoded\r\nCookie: " + find(COOKIE, form),
                fields);
    }

    private static String find(Pattern pattern, String response) {
        Matcher matcher = pattern.matcher(response);
        assertThat(matcher.find()).as("%s in %s", pattern, response).isTrue();
        return matcher.group(1);
    }

    private static String status(String response) {
        return response.split(" ", 3)[1];
    }

    private String send(String address, String request, String headers, String body)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            String text =
                    request
                            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                            + body.length()
                            + "\r\n"
                            + (headers.isEmpty() ? "" : headers + "\r\n")
                            + "\r\n"
                            + body;
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
