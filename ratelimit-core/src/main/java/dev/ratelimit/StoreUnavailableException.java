package dev.ratelimit;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A store did not answer, or not in time. Whether what was demanded has been spent is not known. It
 * has no stack trace, since there may be many while a store is down.
 */
public class StoreUnavailableException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what happened
     * @param cause what the store's client says; null if it was not asked
     */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }
}
