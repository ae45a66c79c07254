package dev.ratelimit;

import dev.ratelimit.conformance.StoreConformanceTest;

class InMemoryStoreConformanceTest extends StoreConformanceTest {

    @Override
    protected RateLimitStore store(TimeSource timeSource) {
        return new InMemoryStore(timeSource);
    }

    @Override
    protected void sweep(KeyedLimits limits) {
        ((InMemoryLimits) limits).sweep();
    }
}
