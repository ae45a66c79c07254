package dev.ratelimit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Charge;
import dev.ratelimit.KeyedLimits;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random calls and jumps of time, each answer held against the models. */
final class RandomSchedule {

    /** One limit of a rule, by strategy, since models need that. */
    record Shape(LimitStrategy strategy, LimitConfig config) {

        Limit limit() {
            return new Limit(config, strategy.create());
        }
    }

    private record Rule(List<Shape> shapes, KeyedLimits limits) {}

    private record Spent(List<Charge> charges, String key) {}

    private static final List<String> KEYS = List.of("a", "b");
    private static final int REFUNDABLE = 10;

    private final StoreFixture fixture;
    private final Random random;
    private final RandomSteps steps;
    private final List<Rule> rules = new ArrayList<>();
    private final Map<String, Map<Rule, List<Expectation>>> expected = new HashMap<>();
    private final List<Spent> spent = new ArrayList<>();
    private long lastWaitNanos;

    RandomSchedule(StoreFixture fixture, long seed) {
        this.fixture = fixture;
        this.random = new Random(seed);
        this.steps = new RandomSteps(random);
    }

    RandomSchedule rule(Shape... shapes) {
        List<Shape> list = List.of(shapes);
        KeyedLimits limits = fixture.open(list.stream().map(Shape::limit).toArray(Limit[]::new));
        rules.add(new Rule(list, limits));
        return this;
    }

    void run(int steps) {
        for (int step = 0; step < steps; step++) {
            String key = KEYS.get(random.nextInt(KEYS.size()));
            switch (random.nextInt(16)) {
                case 0, 1, 2, 3 -> advance();
                case 4, 5 -> peek(key, anyRule());
                case 6, 7 -> refund();
                case 8, 9, 10 -> acquireIntoArray(key, anyRule());
                case 11 -> resetOrSweep(key);
                default -> acquire(key);
            }
        }
    }

    private Rule anyRule() {
        return rules.get(random.nextInt(rules.size()));
    }

    private List<Expectation> expected(String key, Rule rule) {
        return expected.computeIfAbsent(key, any -> new HashMap<>())
                .computeIfAbsent(rule, any -> rule.shapes.stream().map(this::expectation).toList());
    }

    private Expectation expectation(Shape shape) {
        return new Expectation(shape.strategy, shape.config, fixture.resolutionNanos());
    }

    private void acquire(String key) {
        List<Rule> demanded = random.nextBoolean() ? rules : List.of(anyRule());
        long permits = permits(key, demanded.get(0));
        List<Charge> charges =
                demanded.stream().map(rule -> new Charge(rule.limits, key, permits)).toList();
        List<Expectation> all =
                demanded.stream().flatMap(rule -> expected(key, rule).stream()).toList();
        boolean admitted =
                charges.size() == 1 && random.nextBoolean()
                        ? charges.get(0).limits().acquire(charges.get(0))
                        : fixture.store().acquire(charges);
        verifyAdmission(all, permits, admitted);
        if (admitted) {
            all.forEach(one -> one.spend(permits, now()));
            spent.add(new Spent(charges, key));
        }
        for (int i = 0; i < charges.size(); i++) {
            verify(charges.get(i), expected(key, demanded.get(i)), permits, admitted);
        }
    }

    private void acquireIntoArray(String key, Rule rule) {
        long permits = permits(key, rule);
        long[] out = new long[3];
        boolean admitted = rule.limits.tryAcquire(key, permits, out);
        List<Expectation> all = expected(key, rule);
        verifyAdmission(all, permits, admitted);
        if (admitted) {
            all.forEach(one -> one.spend(permits, now()));
        }
        if (all.size() == 1) {
            all.get(0).verify(out, permits, admitted, now());
        }
    }

    private void verifyAdmission(List<Expectation> all, long permits, boolean admitted) {
        if (admitted) {
            assertThat(all.stream().allMatch(one -> one.mayAdmit(permits, now())))
                    .as("admits %s only if every limit may", permits)
                    .isTrue();
        } else {
            assertThat(all.stream().allMatch(one -> one.mustAdmit(permits, now())))
                    .as("refuses %s only if some limit must not admit", permits)
                    .isFalse();
        }
    }

    private void verify(
            Charge charge, List<Expectation> expectations, long permits, boolean admitted) {
        assertThat(charge.epochNanos()).as("time").isEqualTo(now());
        for (int i = 0; i < expectations.size(); i++) {
            expectations.get(i).verify(charge, i, permits, admitted);
        }
        int deciding = DecidingLimit.of(charge);
        assertThat(charge.deciding()).as("deciding limit").isEqualTo(deciding);
        assertThat(charge.allowed()).isEqualTo(charge.retryNanos(deciding) == 0);
        lastWaitNanos =
                Math.max(
                        random.nextBoolean()
                                ? charge.retryNanos(deciding)
                                : charge.growthNanos(deciding),
                        0);
    }

    private void peek(String key, Rule rule) {
        Charge charge = new Charge(rule.limits, key, 1);
        rule.limits.peek(charge);
        verify(charge, expected(key, rule), 1, false);
    }

    private void refund() {
        while (spent.size() > REFUNDABLE) {
            spent.remove(0);
        }
        if (spent.isEmpty()) {
            return;
        }
        Spent back = spent.remove(random.nextInt(spent.size()));
        for (Charge charge : back.charges) {
            charge.limits().refund(charge);
            rules.stream()
                    .filter(rule -> rule.limits == charge.limits())
                    .flatMap(rule -> expected(back.key, rule).stream())
                    .forEach(one -> one.refund(charge.permits(), charge.epochNanos(), now()));
        }
    }

    private void resetOrSweep(String key) {
        if (random.nextInt(3) > 0) {
            rules.forEach(rule -> fixture.sweep(rule.limits));
        } else {
            rules.forEach(rule -> rule.limits.reset(key));
            expected.remove(key);
            spent.removeIf(charged -> charged.key.equals(key));
        }
    }

    private long permits(String key, Rule rule) {
        int limit = random.nextInt(rule.shapes.size());
        Charge asked = new Charge(rule.limits, key, 1);
        rule.limits.peek(asked);
        return steps.permits(rule.shapes.get(limit).config, asked.remaining(limit));
    }

    private void advance() {
        List<Shape> shapes = anyRule().shapes;
        LimitConfig config = shapes.get(random.nextInt(shapes.size())).config;
        long nanos = steps.pauseNanos(config, now(), lastWaitNanos);
        long resolution = fixture.resolutionNanos();
        fixture.time.advance(Duration.ofNanos(-Math.floorDiv(-nanos, resolution) * resolution));
    }

    private long now() {
        return fixture.time.epochNanos();
    }
}
