package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BreakerTest {

    private final Breaker breaker = new Breaker();

    private void fail(int times, long nanoTime) {
        for (int i = 0; i < times; i++) {
            breaker.failed(nanoTime);
        }
    }

    @Test
    void opens_after_several_failures_in_a_row() {
        fail(Breaker.FAILURES - 1, 0);
        assertThat(breaker.admits(0)).isTrue();
        breaker.succeeded();
        fail(Breaker.FAILURES - 1, 0);
        assertThat(breaker.isOpen()).isFalse();

        assertThat(breaker.failed(0)).isTrue();
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.admits(1)).isFalse();
        assertThat(breaker.failed(1)).as("open already").isFalse();
    }

    @Test
    void lets_one_probe_at_a_time_find_out() {
        fail(Breaker.FAILURES, 0);

        assertThat(breaker.admits(Breaker.PROBE_NANOS - 1)).isFalse();
        assertThat(breaker.admits(Breaker.PROBE_NANOS)).isTrue();
        assertThat(breaker.admits(Breaker.PROBE_NANOS)).isFalse();
        breaker.failed(Breaker.PROBE_NANOS + 1);
        assertThat(breaker.admits(2 * Breaker.PROBE_NANOS - 1)).isFalse();
        assertThat(breaker.admits(2 * Breaker.PROBE_NANOS)).isTrue();

        assertThat(breaker.succeeded()).isTrue();
        assertThat(breaker.succeeded()).as("closed already").isFalse();
        assertThat(breaker.admits(0)).isTrue();
    }

    @Test
    void is_correct_where_the_clock_of_the_machine_wraps_around() {
        long late = Long.MAX_VALUE - 10;
        fail(Breaker.FAILURES, late);

        assertThat(breaker.admits(late + Breaker.PROBE_NANOS - 1)).isFalse();
        assertThat(breaker.admits(late + Breaker.PROBE_NANOS)).isTrue();
    }
}
