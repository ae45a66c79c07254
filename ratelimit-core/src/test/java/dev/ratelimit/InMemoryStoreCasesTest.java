package dev.ratelimit;

import dev.ratelimit.conformance.StoreCasesTest;

class InMemoryStoreCasesTest extends StoreCasesTest {

    @Override
    protected RateLimitStore store(TimeSource timeSource) {
        return new InMemoryStore(timeSource);
    }

    @Override
    protected void sweep(KeyedLimits limits) {
        ((InMemoryLimits) limits).sweep();
    }
}
