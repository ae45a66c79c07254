package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingAcquireTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
    private final RateLimiter limiter =
            RateLimiter.builder("search")
                    .limit(1, 1, TimeUnit.SECONDS, LimitStrategy.TOKEN_BUCKET)
                    .timeSource(time)
                    .build();
    private Thread waiter;

    @AfterEach
    void close() {
        limiter.close();
    }

    /** Starts a call, and returns when it waits for the clock or has ended. */
    private <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        waiter = new Thread(task);
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING && !task.isDone()) {
            Thread.onSpinWait();
        }
        return task;
    }

    @Test
    void does_not_wait_for_what_is_there() throws Exception {
        assertThat(limiter.acquire("key", 1, Duration.ZERO)).isTrue();
        assertThat(limiter.acquire("another", 1, Duration.ofSeconds(-1))).isTrue();
    }

    @Test
    void waits_for_what_will_be_there_in_time() throws Exception {
        limiter.tryAcquire("key");
        FutureTask<Boolean> got = start(() -> limiter.acquire("key", 1, SECOND));

        time.advance(SECOND.minusNanos(1));
        assertThat(got.isDone()).isFalse();
        time.advance(Duration.ofNanos(1));
        assertThat(got.get()).isTrue();
        assertThat(limiter.tryAcquire("key").allowed()).isFalse();
    }

    @Test
    void waits_for_ever_if_asked_to() throws Exception {
        limiter.tryAcquire("key");
        FutureTask<Boolean> got =
                start(() -> limiter.acquire("key", 1, Duration.ofSeconds(Long.MAX_VALUE)));

        time.advance(SECOND);
        assertThat(got.get()).isTrue();
    }

    @Test
    void does_not_begin_a_wait_that_is_too_long() throws Exception {
        limiter.tryAcquire("key");

        assertThat(limiter.acquire("key", 1, SECOND.minusNanos(1))).isFalse();
        assertThat(limiter.acquire("key", 1, Duration.ZERO)).isFalse();
        assertThat(limiter.acquire("key", 1, Duration.ofSeconds(Long.MIN_VALUE))).isFalse();
    }

    @Test
    void does_not_wait_for_more_than_there_will_ever_be() throws Exception {
        assertThat(limiter.acquire("key", 2, Duration.ofDays(1))).isFalse();
    }

    @Test
    void gives_up_when_another_was_faster_and_the_next_wait_is_too_long() throws Exception {
        limiter.tryAcquire("key");
        FutureTask<Boolean> got = start(() -> limiter.acquire("key", 1, SECOND));
        // Holding the clock's monitor keeps the waiter from waking up between the two.
        synchronized (time) {
            time.advance(SECOND);
            assertThat(limiter.tryAcquire("key").allowed()).isTrue();
        }

        assertThat(got.get()).isFalse();
    }

    /** As of a store on another machine. */
    @ParameterizedTest
    @ValueSource(longs = {-3_600, 3_600})
    void waits_by_its_own_clock_whatever_that_of_the_store_shows(long aheadSeconds)
            throws Exception {
        TimeSource otherClock = () -> time.epochNanos() + TimeUnit.SECONDS.toNanos(aheadSeconds);
        Limit limit = new Limit(LimitConfig.of(1, SECOND), LimitStrategy.TOKEN_BUCKET.create());
        KeyedLimits limits = new InMemoryLimits("search", List.of(limit), 10, otherClock);
        RateLimiter remote = RateLimiter.of("search", limits, Function.identity(), time);
        remote.tryAcquire("key");

        assertThat(remote.acquire("key", 1, SECOND.minusNanos(1))).isFalse();
        FutureTask<Boolean> got = start(() -> remote.acquire("key", 1, SECOND));
        time.advance(SECOND.minusNanos(1));
        assertThat(got.isDone()).isFalse();
        time.advance(Duration.ofNanos(1));
        assertThat(got.get()).isTrue();
    }

    @Test
    void can_be_interrupted_and_spends_nothing_then() {
        limiter.tryAcquire("key");
        FutureTask<Boolean> got = start(() -> limiter.acquire("key", 1, SECOND));
        waiter.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(got::get)
                .withCauseInstanceOf(InterruptedException.class);
        time.advance(SECOND);
        assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    }

    @Test
    void is_interrupted_before_it_spends() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> limiter.acquire("key", 1, SECOND));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    }

    @Test
    void system_time_is_slept_through() throws Exception {
        try (RateLimiter real =
                RateLimiter.builder("real")
                        .limit(1, 20, TimeUnit.MILLISECONDS, LimitStrategy.TOKEN_BUCKET)
                        .build()) {
            long startNanos = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                assertThat(real.acquire("key", 1, SECOND)).isTrue();
            }
            assertThat(System.nanoTime() - startNanos).isGreaterThanOrEqualTo(40_000_000);
        }
    }
}
