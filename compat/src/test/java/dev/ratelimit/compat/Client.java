package dev.ratelimit.compat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends requests to a server on this machine.
 *
 * @param port the server's
 */
record Client(int port) {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Headers are names and values in turn. */
    HttpResponse<String> send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(method + " " + path, e);
        }
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    List<Integer> statuses(int times, String path, String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(path, headers).statusCode());
        }
        return statuses;
    }
}
