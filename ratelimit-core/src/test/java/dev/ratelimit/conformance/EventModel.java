package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** A model that remembers each charge, and counts those that matter when it is asked. */
abstract class EventModel extends ReferenceModel {

    /** No strategy looks back further than two windows. */
    private static final int WINDOWS_KEPT = 3;

    private record Event(long permits, long atNanos) {}

    private final List<Event> events = new ArrayList<>();

    EventModel(LimitConfig config) {
        super(config);
    }

    /** The permits of all charges made at such moments. */
    final long spentAt(LongPredicate moment) {
        long sum = 0;
        for (Event event : events) {
            if (moment.test(event.atNanos)) {
                sum += event.permits;
            }
        }
        return sum;
    }

    @Override
    public final void spend(long permits, long nowNanos) {
        events.removeIf(event -> nowNanos - event.atNanos > WINDOWS_KEPT * config.windowNanos());
        events.add(new Event(permits, nowNanos));
    }

    @Override
    public final void refund(long permits, long chargedAtNanos, long nowNanos) {
        events.remove(new Event(permits, chargedAtNanos));
    }
}
