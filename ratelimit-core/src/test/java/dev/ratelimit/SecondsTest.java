package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecondsTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "1, 0, 1",
        "0, 1, 1",
        "999999999, 1, 1",
        "999999999, 2, 2",
        "1000000000, 0, 1",
        "1000000000, 1000000000, 2",
        "1999999999, 999999999, 3",
        "9223372036854775807, 0, 9223372037",
        "9223372036854775807, 9223372036854775807, 18446744074"
    })
    void rounds_a_sum_of_nanoseconds_up(long nanos, long moreNanos, long seconds) {
        assertThat(Seconds.ceil(nanos, moreNanos)).isEqualTo(seconds);
    }

    @Test
    void makes_nanoseconds_of_seconds_or_the_most_there_are() {
        assertThat(Seconds.toNanos(3)).isEqualTo(3_000_000_000L);
        assertThat(Seconds.toNanos(Long.MAX_VALUE / 2)).isEqualTo(Long.MAX_VALUE);
    }
}
