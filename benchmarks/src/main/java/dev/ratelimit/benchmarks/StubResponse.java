package dev.ratelimit.benchmarks;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;

/** A response that allocates next to nothing. What is not overridden here is never called. */
final class StubResponse extends HttpServletResponseWrapper {

    private final String[] names = new String[32];
    private final String[] values = new String[32];
    private int headers;
    private int status;
    private final byte[] body = new byte[1024];
    private int length;
    private final ServletOutputStream output = new Output();

    StubResponse() {
        super(Unsupported.of(HttpServletResponse.class));
    }

    /** Makes this a new response. */
    void begin() {
        headers = 0;
        status = SC_OK;
        length = 0;
    }

    String body() {
        return new String(body, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void setStatus(int status) {
        this.status = status;
    }

    @Override
    public String getHeader(String name) {
        int index = indexOf(name);
        return index < 0 ? null : values[index];
    }

    @Override
    public void setHeader(String name, String value) {
        int index = indexOf(name);
        if (index < 0) {
            index = headers++;
            names[index] = name;
        }
        values[index] = value;
    }

    private int indexOf(String name) {
        for (int i = 0; i < headers; i++) {
            if (names[i].equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void addHeader(String name, String value) {
        names[headers] = name;
        values[headers++] = value;
    }

    @Override
    public Collection<String> getHeaders(String name) {
        String value = getHeader(name);
        return value == null ? List.of() : List.of(value);
    }

    @Override
    public void setContentType(String type) {
        setHeader("Content-Type", type);
    }

    @Override
    public String getContentType() {
        return getHeader("Content-Type");
    }

    @Override
    public String getCharacterEncoding() {
        return "UTF-8";
    }

    @Override
    public void setCharacterEncoding(String encoding) {}

    @Override
    public void setContentLengthLong(long length) {
        setHeader("Content-Length", Long.toString(length));
    }

    @Override
    public void setContentLength(int length) {
        setContentLengthLong(length);
    }

    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        length = 0;
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return output;
    }

    @Override
    public boolean containsHeader(String name) {
        return indexOf(name) >= 0;
    }

    private final class Output extends ServletOutputStream {

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(int b) {
            body[length++] = (byte) b;
        }

        @Override
        public void write(byte[] bytes, int offset, int count) {
            System.arraycopy(bytes, offset, body, length, count);
            length += count;
        }
    }
}
