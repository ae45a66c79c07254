package dev.ratelimit.spring.expression;

import dev.ratelimit.spring.key.Caller;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** What an expression can name without {@code #}. */
public final class CallRoot {

    private final Caller caller;

    CallRoot(Caller caller) {
        this.caller = caller;
    }

    /** The request; null outside of one. */
    public @Nullable Object getRequest() {
        return caller.request();
    }

    /** The user who is logged in; null if nobody is. */
    public @Nullable Principal getPrincipal() {
        return caller.principal();
    }

    /** The client's address as it is counted; null if it has none. */
    public @Nullable String getIp() {
        return caller.address();
    }
}
