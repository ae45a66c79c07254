package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** How a store makes a bucket unusable that it forgets. */
class BucketRetirementTest {

    private final Bucket bucket = new Bucket();

    @Test
    void whoeverReadsARetiredBucketIsSentAway() {
        assertThat(bucket.retire(0, 0)).isTrue();
        assertThat(bucket.isRetired()).isTrue();
        assertThatExceptionOfType(RetiredBucketException.class).isThrownBy(bucket::slot0);
        assertThatExceptionOfType(RetiredBucketException.class).isThrownBy(bucket::slot1);
        assertThat(bucket.compareAndSetSlot0(0, 1)).isFalse();
        assertThat(bucket.compareAndSetSlot1(0, 1)).isFalse();
    }

    @Test
    void aBucketThatHasChangedSinceItWasReadStaysAsItIs() {
        bucket.compareAndSetSlot0(0, 7);
        bucket.compareAndSetSlot1(0, 8);
        assertThat(bucket.retire(0, 8)).isFalse();
        assertThat(bucket.retire(7, 0)).isFalse();
        assertThat(bucket.slot0()).isEqualTo(7);
        assertThat(bucket.slot1()).isEqualTo(8);
        assertThat(bucket.isRetired()).isFalse();
    }

    @Test
    void aBucketThatComesBackNeverSeemsToBeRetired() throws InterruptedException {
        AtomicBoolean seemed = new AtomicBoolean();
        AtomicBoolean done = new AtomicBoolean();
        Thread looking =
                new Thread(
                        () -> {
                            while (!done.get()) {
                                if (bucket.isRetired()) {
                                    seemed.set(true);
                                }
                            }
                        });
        looking.start();
        for (int i = 0; i < 1_000_000; i++) {
            bucket.retire(0, 1);
        }
        done.set(true);
        looking.join();
        assertThat(seemed).isFalse();
    }

    @Test
    void theMarkOfARetiredBucketCannotBePutIntoASlot() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.compareAndSetSlot0(0, Long.MIN_VALUE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.compareAndSetSlot1(0, Long.MIN_VALUE));
    }
}
