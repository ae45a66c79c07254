package dev.ratelimit;

import java.io.Serial;

/**
 * Leaves a strategy that has read a bucket which its store forgets just then. The store looks the
 * key up again; nobody else sees it.
 */
final class RetiredBucketException extends RuntimeException {

    // It has no stack trace that could mislead, and a refused bucket must not cost an allocation.
    @SuppressWarnings("StaticAssignmentOfThrowable")
    static final RetiredBucketException INSTANCE = new RetiredBucketException();

    @Serial private static final long serialVersionUID = 1L;

    private RetiredBucketException() {
        super("The store has forgotten this bucket", null, false, false);
    }
}
