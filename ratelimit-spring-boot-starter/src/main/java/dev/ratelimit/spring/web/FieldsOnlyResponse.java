package dev.ratelimit.spring.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/** Takes header fields, and neither a status nor a body. */
final class FieldsOnlyResponse extends HttpServletResponseWrapper {

    FieldsOnlyResponse(HttpServletResponse response) {
        super(response);
    }

    @Override
    public void setStatus(int status) {}

    @Override
    public void flushBuffer() {}

    @Override
    public ServletOutputStream getOutputStream() {
        return new ServletOutputStream() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {}

            @Override
            public void write(int octet) {}
        };
    }
}
