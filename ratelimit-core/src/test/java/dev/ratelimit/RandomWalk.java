package dev.ratelimit;

import dev.ratelimit.conformance.LimitShapes;
import dev.ratelimit.conformance.RandomSteps;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Random demands on one key at times that never go back. */
final class RandomWalk {

    private static final int SEEDS = 10;
    private static final int STEPS = 400;

    interface Step {

        /** Makes a demand, and returns how long the next pause may well be. */
        long take(long permits, long nowNanos, Random random);
    }

    private RandomWalk() {}

    /** Every strategy with limits of all sizes, and seeds for a walk. */
    static Stream<Arguments> limitsAndSeeds() {
        return Arrays.stream(LimitStrategy.values()).flatMap(RandomWalk::limitsAndSeeds);
    }

    private static Stream<Arguments> limitsAndSeeds(LimitStrategy strategy) {
        return LimitShapes.of(strategy)
                .flatMap(
                        config ->
                                IntStream.range(0, SEEDS)
                                        .mapToObj(seed -> Arguments.of(strategy, config, seed)));
    }

    static void walk(long seed, SingleKey key, Step step) {
        Random random = new Random(seed);
        RandomSteps steps = new RandomSteps(random);
        long nowNanos = SingleKey.START_NANOS;
        long waitNanos = 0;
        for (int i = 0; i < STEPS; i++) {
            if (random.nextInt(3) == 0) {
                nowNanos += steps.pauseNanos(key.config, nowNanos, waitNanos);
            }
            long permits = steps.permits(key.config, key.remaining(nowNanos));
            waitNanos = step.take(permits, nowNanos, random);
        }
    }
}
