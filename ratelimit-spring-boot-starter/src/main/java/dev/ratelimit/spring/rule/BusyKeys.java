package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.key.Key;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a rule that were rejected most or asked most, in bounded memory.
 *
 * <p>Up to {@link #CAPACITY} keys are counted exactly. With more keys, a newcomer takes the place
 * of a key that weighs little, by chance: the more that key weighs, the less likely, and the
 * newcomer then starts with its weight (randomized admission, after Ben Basat and others, 2017). A
 * flood of keys that come once thus hardly moves one that comes often. What a key did before it had
 * a place is not counted, so that counts are never too high.
 */
public final class BusyKeys {

    static final int CAPACITY = 256;

    /** How many places a newcomer looks at, to find one that weighs little. */
    private static final int SAMPLE = 8;

    /** Rejected keys are what operators look for, so they keep their place longer. */
    private static final int REJECTED_WEIGHT = 16;

    /** After so many newcomers, on average, what happened before them weighs half. */
    private static final int NEWCOMERS_PER_HALVING = 1 << 20;

    private final ConcurrentHashMap<Key, Place> places = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Place> all = new AtomicReferenceArray<>(CAPACITY);
    private final AtomicInteger taken = new AtomicInteger();

    void countAllowed(Key key) {
        Place place = places.get(key);
        if (place == null) {
            place = enter(key, 1);
        }
        if (place != null) {
            place.allowed.increment();
        }
    }

    void countRejected(Key key) {
        Place place = places.get(key);
        if (place == null) {
            place = enter(key, REJECTED_WEIGHT);
        }
        if (place != null) {
            place.rejected.increment();
        }
    }

    private @Nullable Place enter(Key key, int weight) {
        return taken.get() < CAPACITY ? takeFree(key) : takeFromAnother(key, weight);
    }

    private @Nullable Place takeFree(Key key) {
        Place added = new Place(key, 0);
        Place known = places.putIfAbsent(key, added);
        if (known != null) {
            return known;
        }
        int index = taken.getAndIncrement();
        if (index < CAPACITY) {
            all.set(index, added);
            return added;
        }
        // The last free place went to another thread meanwhile.
        taken.decrementAndGet();
        places.remove(key, added);
        return null;
    }

    private @Nullable Place takeFromAnother(Key key, int weight) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextInt(NEWCOMERS_PER_HALVING) == 0) {
            halve();
        }
        int index = -1;
        Place lightest = null;
        long lightestWeight = Long.MAX_VALUE;
        for (int i = 0; i < SAMPLE; i++) {
            int candidateIndex = random.nextInt(CAPACITY);
            Place candidate = all.get(candidateIndex);
            if (candidate != null && candidate.weight() < lightestWeight) {
                index = candidateIndex;
                lightest = candidate;
                lightestWeight = candidate.weight();
            }
        }
        if (lightest == null || random.nextLong(lightestWeight + weight) >= weight) {
            return null;
        }
        Place added = new Place(key, lightestWeight);
        Place known = places.putIfAbsent(key, added);
        if (known != null) {
            return known;
        }
        if (all.compareAndSet(index, lightest, added)) {
            places.remove(lightest.key, lightest);
            return added;
        }
        places.remove(key, added);
        return null;
    }

    void halve() {
        for (int i = 0; i < CAPACITY; i++) {
            Place place = all.get(i);
            if (place != null) {
                place.lighter.addAndGet(place.weight() / 2);
            }
        }
    }

    /** For how many keys there are counts. */
    int size() {
        return places.size();
    }

    /**
     * Returns the keys that were rejected most; of equals, those with more decisions come first.
     *
     * @param count at most so many
     * @return keys, the most rejected first
     */
    public List<BusyKey> mostRejected(int count) {
        return first(
                count,
                Comparator.comparingLong(BusyKey::rejected)
                        .thenComparingLong(BusyKey::decisions)
                        .reversed());
    }

    /**
     * Returns the keys with the most decisions.
     *
     * @param count at most so many
     * @return keys, the busiest first
     */
    public List<BusyKey> busiest(int count) {
        return first(count, Comparator.comparingLong(BusyKey::decisions).reversed());
    }

    private List<BusyKey> first(int count, Comparator<BusyKey> order) {
        return places.values().stream()
                .flatMap(Place::counts)
                .sorted(order.thenComparing(busy -> busy.key().id()))
                .limit(count)
                .toList();
    }

    /**
     * A key, and how often it was decided for.
     *
     * @param key who was counted
     * @param allowed how often it was allowed, or less
     * @param rejected how often it was rejected, or less
     */
    public record BusyKey(Key key, long allowed, long rejected) {

        private long decisions() {
            return allowed + rejected;
        }
    }

    private static final class Place {

        private final Key key;
        private final long inherited;
        private final LongAdder allowed = new LongAdder();
        private final LongAdder rejected = new LongAdder();
        private final AtomicLong lighter = new AtomicLong();

        private Place(Key key, long inherited) {
            this.key = key;
            this.inherited = inherited;
        }

        private long weight() {
            long counted = allowed.sum() + REJECTED_WEIGHT * rejected.sum();
            return Math.max(0, inherited + counted - lighter.get());
        }

        /** Nothing between the moment at which a key takes a place and its first count. */
        private Stream<BusyKey> counts() {
            BusyKey counts = new BusyKey(key, allowed.sum(), rejected.sum());
            return counts.decisions() == 0 ? Stream.empty() : Stream.of(counts);
        }
    }
}
