package dev.ratelimit.conformance;

import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store under test, on a clock that tests move by hand. */
public abstract class StoreFixture {

    /** The start of an hour and of a day. */
    protected static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final AtomicLong RULES = new AtomicLong();
    private static final long MAX_KEYS = 100_000;

    private final List<KeyedLimits> opened = new ArrayList<>();

    /** The clock of the store. */
    protected ManualTimeSource time;

    private RateLimitStore store;

    /** Makes the store to be tested; called once for each test. */
    protected abstract RateLimitStore store(TimeSource timeSource);

    /** In steps of how many nanoseconds the store tells times apart; durations are rounded up. */
    protected long resolutionNanos() {
        return 1;
    }

    /** Whether the store takes a limit at all. */
    protected boolean takes(Limit limit) {
        return true;
    }

    /** Forgets what is idle, where the store does not do that by itself. */
    protected void sweep(KeyedLimits limits) {}

    @BeforeEach
    void open() {
        time = new ManualTimeSource(START);
        store = store(time);
    }

    @AfterEach
    void close() {
        opened.forEach(KeyedLimits::close);
        store.close();
    }

    final RateLimitStore store() {
        return store;
    }

    final KeyedLimits open(Limit... limits) {
        String rule = "rule-" + RULES.incrementAndGet();
        KeyedLimits limitsOfRule = store.open(rule, List.of(limits), MAX_KEYS);
        opened.add(limitsOfRule);
        return limitsOfRule;
    }

    final RateLimiter limiter(LimitStrategy strategy, long requests, Duration window) {
        return limiter(strategy, LimitConfig.of(requests, window));
    }

    final RateLimiter limiter(LimitStrategy strategy, LimitConfig config) {
        return limiter(open(new Limit(config, strategy.create())));
    }

    final RateLimiter limiter(KeyedLimits limits) {
        return RateLimiter.of("limiter", limits, Function.identity(), time);
    }
}
