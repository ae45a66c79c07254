package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import java.util.ArrayList;
import java.util.List;

/** A token bucket that remembers its charges, and can tell what would be without one of them. */
final class ReplayedTokenBucketModel extends TokenBucketModel {

    private record Event(long permits, long atNanos) {}

    private final List<Event> eventsSinceFull = new ArrayList<>();

    ReplayedTokenBucketModel(LimitConfig config) {
        super(config);
    }

    @Override
    public void spend(long permits, long nowNanos) {
        if (isFull(nowNanos)) {
            eventsSinceFull.clear();
        }
        eventsSinceFull.add(new Event(permits, nowNanos));
        super.spend(permits, nowNanos);
    }

    @Override
    public void refund(long permits, long chargedAtNanos, long nowNanos) {
        if (eventsSinceFull.remove(new Event(permits, chargedAtNanos))) {
            renew();
            eventsSinceFull.forEach(event -> super.spend(event.permits, event.atNanos));
        }
    }
}
