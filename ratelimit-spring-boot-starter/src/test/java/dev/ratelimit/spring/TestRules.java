package dev.ratelimit.spring;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.Limit;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.KeyParser;
import dev.ratelimit.spring.key.SecretHash;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleLimit;
import dev.ratelimit.spring.rule.RulePhase;
import dev.ratelimit.spring.rule.RuleRequests;
import dev.ratelimit.spring.rule.RuleSource;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Rules without an application, under a clock that stands still, and clients that call. */
public final class TestRules implements AutoCloseable {

    public static final int MAX_KEYS = 1_000;

    public final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
    public final Rules rules;
    private final Decider decider;

    public TestRules() {
        InMemoryStore store = new InMemoryStore(time);
        KeyParser keys = new KeyParser(new SecretHash("test"), 64, name -> false);
        rules = new Rules(store, keys, MAX_KEYS, List.of());
        decider = new Decider(store, true, OnFailure.ALLOW);
    }

    /** A rule under which each address can call so many times per hour, and then never more. */
    public Rule add(String name, int requests) {
        return add(name, "ip", fixedWindow(requests, Duration.ofHours(1)));
    }

    public Rule add(String name, String key, RuleLimit... limits) {
        RuleDefinition.Builder definition =
                RuleDefinition.builder(name, RuleSource.PROPERTIES, "ratelimit.rules." + name)
                        .requests(
                                new RuleRequests(
                                        List.of("/" + name + "/**"),
                                        List.of(),
                                        List.of("GET"),
                                        RulePhase.HANDLER,
                                        Set.of()))
                        .key(List.of(key));
        for (RuleLimit limit : limits) {
            definition.limit(limit);
        }
        return rules.add(definition.build());
    }

    public static RuleLimit fixedWindow(int requests, Duration window) {
        LimitConfig config = LimitConfig.of(requests, window);
        return new RuleLimit(
                new Limit(config, LimitStrategy.FIXED_WINDOW.create()), "fixed-window");
    }

    public void call(Rule rule, String address, int times) {
        for (int i = 0; i < times; i++) {
            decider.decide(List.of(rule), new Client(address));
        }
    }

    public void call(Rule rule, Caller caller) {
        decider.decide(List.of(rule), caller);
    }

    @Override
    public void close() {
        rules.destroy();
    }

    /** A client that has an address, and sends it as every header too. */
    public record Client(String address) implements Caller {

        @Override
        public boolean isRequest() {
            return true;
        }

        @Override
        public String header(String name) {
            return address;
        }
    }
}
