package dev.ratelimit;

/** The built-in strategies. {@code docs/strategies.md} tells which one to choose. */
public enum LimitStrategy {

    /**
     * At most N in each window of a grid that is aligned to the epoch, half-open. Up to 2N can pass
     * in one window's length across an edge.
     */
    FIXED_WINDOW {
        @Override
        public RateLimitStrategy create() {
            return new FixedWindowStrategy();
        }
    },

    /**
     * Starts with {@code burst} tokens and earns N per window, evenly: never more than burst +
     * N·t/W in any stretch t.
     */
    TOKEN_BUCKET {
        @Override
        public RateLimitStrategy create() {
            return new TokenBucketStrategy();
        }
    },

    /**
     * At most N by the count of the current window plus the previous one's, weighted by how much of
     * it still lies within the last window's length. Up to 2N-1 can pass in a true window.
     */
    SLIDING_WINDOW {
        @Override
        public RateLimitStrategy create() {
            return new SlidingWindowStrategy();
        }
    },

    /** At most N in any window at all, at 8·N bytes per key; N is at most 10,000. */
    SLIDING_LOG {
        @Override
        public RateLimitStrategy create() {
            return new SlidingLogStrategy();
        }
    };

    /**
     * Makes the strategy.
     *
     * @return a strategy, which may serve any number of limits
     */
    public abstract RateLimitStrategy create();
}
