package dev.ratelimit.spring.key;

import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A caller that calls a method with arguments. */
record MethodCaller(Caller caller, Map<String, @Nullable Object> arguments) implements Caller {

    @Override
    public boolean isRequest() {
        return caller.isRequest();
    }

    @Override
    public @Nullable IpAddress clientAddress() {
        return caller.clientAddress();
    }

    @Override
    public @Nullable String address() {
        return caller.address();
    }

    @Override
    public @Nullable String user() {
        return caller.user();
    }

    @Override
    public @Nullable String session() {
        return caller.session();
    }

    @Override
    public @Nullable String header(String name) {
        return caller.header(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        return caller.cookie(name);
    }

    @Override
    public @Nullable String query(String name) {
        return caller.query(name);
    }

    @Override
    public @Nullable String pathVariable(String name) {
        return caller.pathVariable(name);
    }

    @Override
    public @Nullable String bean(String name) {
        return caller.bean(name);
    }

    @Override
    public boolean isBehindTrustedProxy() {
        return caller.isBehindTrustedProxy();
    }

    @Override
    public @Nullable Object request() {
        return caller.request();
    }

    @Override
    public @Nullable Principal principal() {
        return caller.principal();
    }
}
