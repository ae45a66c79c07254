package dev.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The one test of the core that lets real time pass, since the background has no other. */
@Tag("real-time")
class BackgroundSweepTest {

    private static RateLimiter limiter() {
        return RateLimiter.builder("swept").limit(5, 1, TimeUnit.MILLISECONDS).build();
    }

    // C50
    @Test
    @Timeout(30)
    void idle_keys_are_forgotten_without_traffic_until_the_limiter_is_closed() throws Exception {
        RateLimiter closed = limiter();
        try (RateLimiter swept = limiter()) {
            closed.tryAcquire("key");
            swept.tryAcquire("key");
            closed.close();

            awaitSize(swept, 0);
            assertThat(closed.size()).isEqualTo(1);
        }
    }

    private static void awaitSize(RateLimiter limiter, long size) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (limiter.size() != size) {
            assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(11));
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
