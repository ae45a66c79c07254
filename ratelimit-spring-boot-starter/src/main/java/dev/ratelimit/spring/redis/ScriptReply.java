package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of one call of the script: integers that it was answered with, or a failure. */
final class ScriptReply {

    private final long[] integers;
    private final @Nullable StoreUnavailableException failure;

    private ScriptReply(long[] integers, @Nullable StoreUnavailableException failure) {
        this.integers = integers;
        this.failure = failure;
    }

    static ScriptReply of(List<?> reply) {
        long[] integers = new long[reply.size()];
        for (int i = 0; i < integers.length; i++) {
            integers[i] = (Long) reply.get(i);
        }
        return new ScriptReply(integers, null);
    }

    static ScriptReply failed(String message, @Nullable Throwable cause) {
        return failed(new StoreUnavailableException(message, cause));
    }

    static ScriptReply failed(StoreUnavailableException failure) {
        return new ScriptReply(new long[0], failure);
    }

    /** Why there is no answer; null if there is one. */
    @Nullable StoreUnavailableException failure() {
        return failure;
    }

    /**
     * Returns the answer.
     *
     * @throws StoreUnavailableException if there is none
     */
    long[] integers() {
        if (failure != null) {
            throw failure;
        }
        return integers;
    }
}
