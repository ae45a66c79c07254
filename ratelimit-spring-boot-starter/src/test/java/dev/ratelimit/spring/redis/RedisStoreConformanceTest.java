package dev.ratelimit.spring.redis;

import dev.ratelimit.Limit;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.conformance.StoreConformanceTest;

class RedisStoreConformanceTest extends StoreConformanceTest {

    @Override
    protected RateLimitStore store(TimeSource timeSource) {
        return ManualRedis.askingStore(timeSource, ManualRedis.newPrefix());
    }

    @Override
    protected long resolutionNanos() {
        return 1_000;
    }

    @Override
    protected boolean takes(Limit limit) {
        return ManualRedis.takes(limit);
    }
}
