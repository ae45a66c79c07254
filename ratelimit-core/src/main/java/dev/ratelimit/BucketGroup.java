package dev.ratelimit;

/** The buckets of one key under several limits. Its own slots are not used. */
final class BucketGroup extends Bucket {

    final Bucket[] parts;

    BucketGroup(Bucket[] parts) {
        this.parts = parts;
    }
}
