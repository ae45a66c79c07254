package dev.ratelimit;

/**
 * The buckets of one key under several limits. Its first slot counts how often permits were spent
 * from all of them, so that it alone decides whether the group is retired; its parts never are.
 */
final class BucketGroup extends Bucket {

    final Bucket[] parts;

    BucketGroup(Bucket[] parts) {
        this.parts = parts;
    }

    /**
     * Ends spending from all parts. Whoever found the parts idle before can no longer retire the
     * group; if somebody just has, this throws {@link RetiredBucketException}.
     */
    void spent() {
        long count;
        do {
            count = slot0();
        } while (!compareAndSetSlot0(count, count + 1));
    }
}
