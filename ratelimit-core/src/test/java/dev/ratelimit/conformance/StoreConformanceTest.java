package dev.ratelimit.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.conformance.RandomSchedule.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every strategy in a store against its reference model, on seeded random schedules. */
public abstract class StoreConformanceTest extends StoreFixture {

    private static final int SEEDS = 5;
    private static final int MANY_SEEDS = 20;

    /** How many calls and jumps of time a schedule has. */
    protected int steps() {
        return 300;
    }

    private static Stream<Shape> shapes() {
        return Arrays.stream(LimitStrategy.values())
                .flatMap(
                        strategy ->
                                LimitShapes.of(strategy)
                                        .map(config -> new Shape(strategy, config)));
    }

    static Stream<Arguments> shapesAndSeeds() {
        return shapes().flatMap(
                        shape ->
                                IntStream.range(0, SEEDS)
                                        .mapToObj(seed -> Arguments.of(shape, seed)));
    }

    static IntStream seeds() {
        return IntStream.range(0, MANY_SEEDS);
    }

    @ParameterizedTest
    @MethodSource("shapesAndSeeds")
    void answers_as_the_model_does(Shape shape, long seed) {
        assumeTrue(takes(shape.limit()));
        new RandomSchedule(this, seed).rule(shape).run(steps());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void several_limits_spend_all_or_nothing(long seed) {
        Random random = new Random(seed);
        new RandomSchedule(this, seed).rule(anyShapes(random)).run(steps());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void several_rules_spend_all_or_nothing(long seed) {
        Random random = new Random(seed);
        new RandomSchedule(this, seed)
                .rule(anyShapes(random))
                .rule(anyShapes(random))
                .rule(anyShapes(random))
                .run(steps());
    }

    private Shape[] anyShapes(Random random) {
        List<Shape> all = shapes().filter(this::isUsual).toList();
        return random.ints(random.nextInt(3) + 1, 0, all.size())
                .mapToObj(all::get)
                .toArray(Shape[]::new);
    }

    /** Leaves out those beside which others would never be asked. */
    private boolean isUsual(Shape shape) {
        LimitConfig config = shape.config();
        return config.requests() > 1 && config.burst() < 1_000_000 && takes(shape.limit());
    }
}
