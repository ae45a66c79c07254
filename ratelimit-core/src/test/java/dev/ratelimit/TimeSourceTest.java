package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSourceTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00.123456789Z");
    private static final long START_NANOS = SingleKey.START_NANOS + 123_456_789;

    // C43
    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                Long.MAX_VALUE - 1_000_000_000,
                -5_000_000_000L,
                Long.MIN_VALUE,
                Long.MAX_VALUE
            })
    void system_time_does_not_depend_on_the_origin_of_the_monotonic_clock(long origin) {
        SystemTimeSource time = new SystemTimeSource(START, origin);

        assertThat(time.epochNanos(origin)).isEqualTo(START_NANOS);
        for (long elapsedNanos = 500_000_000; elapsedNanos < 20_000_000_000L; elapsedNanos *= 2) {
            assertThat(time.epochNanos(origin + elapsedNanos))
                    .isEqualTo(START_NANOS + elapsedNanos);
        }
    }

    // C41: of the wall clock only the start is read, so it may be set as one likes
    @Test
    void system_time_moves_with_the_monotonic_clock_alone() {
        SystemTimeSource time = new SystemTimeSource(START, System.nanoTime());
        long before = System.nanoTime();
        long nowNanos = time.epochNanos();

        assertThat(nowNanos).isBetween(time.epochNanos(before), time.epochNanos(System.nanoTime()));
    }

    @Test
    void system_time_is_about_the_wall_clock_and_never_goes_back() {
        TimeSource time = TimeSource.system();
        long before = time.epochNanos();

        assertThat(Duration.between(Instant.now(), Instant.ofEpochSecond(0, before)).abs())
                .isLessThan(Duration.ofSeconds(10));
        for (int reading = 0; reading < 10_000; reading++) {
            long after = time.epochNanos();
            assertThat(after).isGreaterThanOrEqualTo(before);
            before = after;
        }
        assertThat(TimeSource.system()).isSameAs(time);
    }

    @Test
    void manual_time_stands_until_it_is_moved() {
        ManualTimeSource time = new ManualTimeSource(START);

        assertThat(time.epochNanos()).isEqualTo(START_NANOS);
        time.advance(Duration.ofNanos(1));
        assertThat(time.epochNanos()).isEqualTo(START_NANOS + 1);
        time.advance(Duration.ZERO);
        time.set(START.plusSeconds(5));
        assertThat(time.epochNanos()).isEqualTo(START_NANOS + 5_000_000_000L);
        time.set(START.plusSeconds(5));
        assertThat(time.epochNanos()).isEqualTo(START_NANOS + 5_000_000_000L);
    }

    @Test
    void manual_time_never_goes_back() {
        ManualTimeSource time = new ManualTimeSource(START);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advance(Duration.ofNanos(-1)))
                .withMessageContaining("PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.set(START.minusNanos(1)))
                .withMessageContaining(START.minusNanos(1).toString());
        assertThat(time.epochNanos()).isEqualTo(START_NANOS);
    }

    @Test
    void manual_time_stays_within_what_nanoseconds_can_tell() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ManualTimeSource(Instant.EPOCH.minusNanos(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ManualTimeSource(Instant.parse("2263-01-01T00:00:00Z")));
        ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
        assertThat(time.epochNanos()).isZero();
        time.advance(Duration.ofNanos(Long.MAX_VALUE));
        assertThat(time.epochNanos()).isEqualTo(Long.MAX_VALUE);
        assertThatIllegalArgumentException().isThrownBy(() -> time.advance(Duration.ofNanos(1)));
    }
}
