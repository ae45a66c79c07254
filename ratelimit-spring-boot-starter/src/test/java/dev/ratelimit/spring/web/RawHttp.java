package dev.ratelimit.spring.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An HTTP client that changes nothing of what it is told to send, or of what it receives. */
public final class RawHttp {

    private final int port;

    public RawHttp(int port) {
        this.port = port;
    }

    /** Sends a GET; headers are {@code Name: value}. */
    public Response get(String target, String... headers) {
        return send("GET", target, headers);
    }

    public Response send(String method, String target, String... headers) {
        return sendFrom("127.0.0.1", method, target, headers);
    }

    /** Sends from one of the addresses of this machine, 127.0.0.1 to 127.255.255.254. */
    public Response sendFrom(String address, String method, String target, String... headers) {
        StringBuilder request =
                new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        request.append("Connection: close\r\n\r\n");
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(10_000);
            socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            socket.getOutputStream()
                    .write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            return read(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Response read(InputStream in) throws IOException {
        int status = Integer.parseInt(line(in).split(" ")[1]);
        List<String> headers = new ArrayList<>();
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            headers.add(header);
        }
        boolean chunked = headers.stream().anyMatch("Transfer-Encoding: chunked"::equals);
        byte[] body = chunked ? chunks(in) : in.readAllBytes();
        return new Response(status, headers, new String(body, StandardCharsets.UTF_8));
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = -1; size != 0; ) {
            String line = line(in);
            size = line.isEmpty() ? 0 : Integer.parseInt(line, 16);
            body.write(in.readNBytes(size));
            line(in);
        }
        return body.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** What came back. */
    public record Response(int status, List<String> headers, String body) {

        /** The values of all lines of a field. */
        public List<String> all(String name) {
            String start = name + ":";
            return headers.stream()
                    .filter(header -> header.regionMatches(true, 0, start, 0, start.length()))
                    .map(header -> header.substring(start.length()).strip())
                    .toList();
        }

        /** The value of a field that stands once; null if it is not there. */
        public String header(String name) {
            List<String> values = all(name);
            if (values.size() > 1) {
                throw new AssertionError(name + " stands " + values.size() + " times: " + values);
            }
            return values.isEmpty() ? null : values.get(0);
        }

        public String limit() {
            return header("X-RateLimit-Limit");
        }

        public String remaining() {
            return header("X-RateLimit-Remaining");
        }

        public String reset() {
            return header("X-RateLimit-Reset");
        }

        public String retryAfter() {
            return header("Retry-After");
        }
    }
}
