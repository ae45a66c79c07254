package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class BucketTest {

    private final Bucket bucket = new Bucket();

    @Test
    void has_two_slots_that_are_0_at_first() {
        assertThat(bucket.slot0()).isZero();
        assertThat(bucket.slot1()).isZero();
    }

    @Test
    void changes_a_slot_only_from_the_expected_value() {
        assertThat(bucket.compareAndSetSlot0(0, 7)).isTrue();
        assertThat(bucket.compareAndSetSlot0(0, 8)).isFalse();
        assertThat(bucket.compareAndSetSlot1(0, -9)).isTrue();
        assertThat(bucket.compareAndSetSlot1(1, 10)).isFalse();

        assertThat(bucket.slot0()).isEqualTo(7);
        assertThat(bucket.slot1()).isEqualTo(-9);
    }

    @Test
    void keeps_any_value_but_the_one_that_stores_use() {
        assertThat(bucket.compareAndSetSlot0(0, Long.MAX_VALUE)).isTrue();
        assertThat(bucket.compareAndSetSlot1(0, Long.MIN_VALUE + 1)).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.compareAndSetSlot0(Long.MAX_VALUE, Long.MIN_VALUE))
                .withMessageContaining("Long.MIN_VALUE");
    }
}
