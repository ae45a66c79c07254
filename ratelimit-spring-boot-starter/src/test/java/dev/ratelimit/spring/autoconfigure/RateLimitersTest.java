package dev.ratelimit.spring.autoconfigure;

import static dev.ratelimit.spring.autoconfigure.Contexts.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.ratelimit.Decision;
import dev.ratelimit.LimitConfig;
import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.RateLimiter;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.rule.BusyKeys;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** The rules of an application in the hands of its own code. */
class RateLimitersTest {

    private static final String RULES =
            """
            ratelimit.rules:
              search: { key: global, requests: 2, window: 1m }
              costly: { permits: 3, requests: 5, window: 1m }
              double: { limits: [{ requests: 2, window: 1s }, { requests: 3, window: 1m }] }
            """;

    private final ManualTimeSource time =
            new ManualTimeSource(Instant.parse("2030-01-01T00:00:00Z"));

    @Test
    void a_limiter_decides_by_the_limits_of_its_rule() {
        run(
                context -> {
                    RateLimiter search = context.getBean(RateLimiters.class).get("search");

                    assertThat(search.name()).isEqualTo("search");
                    assertThat(search.tryAcquire("a").remaining()).isEqualTo(1);
                    assertThat(search.tryAcquire("a").allowed()).isTrue();
                    Decision refused = search.tryAcquire("a");
                    assertThat(refused.allowed()).isFalse();
                    assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1));
                    assertThat(search.tryAcquire("b", 2).allowed()).isTrue();
                    assertThat(search.size()).isEqualTo(2);

                    time.advance(Duration.ofMinutes(1));
                    assertThat(search.tryAcquire("a").allowed()).isTrue();
                });
    }

    @Test
    void several_limits_apply_all_or_nothing() {
        run(
                context -> {
                    RateLimiter both = context.getBean(RateLimiters.class).get("double");

                    assertThat(both.tryAcquire("a", 2).allowed()).isTrue();
                    assertThat(both.tryAcquire("a").allowed()).isFalse();
                    time.advance(Duration.ofSeconds(1));
                    assertThat(both.tryAcquire("a", 2).allowed()).isFalse();
                    assertThat(both.tryAcquire("a", 1).allowed()).isTrue();
                });
    }

    @Test
    void its_keys_are_never_those_of_other_callers() {
        run(
                context -> {
                    Rule rule = context.getBean(Rules.class).find("search");
                    Decider decider = context.getBean(Decider.class);
                    RateLimiter search = context.getBean(RateLimiters.class).get("search");

                    assertThat(search.tryAcquire("global", 2).allowed()).isTrue();
                    assertThat(decider.decide(List.of(rule), Caller.NONE).allowed()).isTrue();
                    assertThat(search.tryAcquire("global").allowed()).isFalse();
                    assertThat(search.size()).isEqualTo(2);
                });
    }

    @Test
    void decisions_are_counted_with_the_others_of_the_rule() {
        run(
                context -> {
                    Rule rule = context.getBean(Rules.class).find("search");
                    RateLimiter search = context.getBean(RateLimiters.class).get("search");
                    long[] out = new long[3];

                    search.tryAcquire("a");
                    search.tryAcquire("a", 1, out);
                    search.tryAcquire("a");
                    search.tryAcquire("a", 1, out);
                    search.peek("a");

                    assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(2);
                    assertThat(rule.counters().of(Outcome.REJECTED)).isEqualTo(2);
                    BusyKeys.BusyKey busiest = rule.busyKeys().busiest(1).get(0);
                    assertThat(busiest.key().id()).isEqualTo("a");
                    assertThat(busiest.allowed()).isEqualTo(2);
                    assertThat(busiest.rejected()).isEqualTo(2);
                });
    }

    @Test
    @Timeout(60)
    void a_call_that_waits_counts_once() {
        run(
                context -> {
                    Rule rule = context.getBean(Rules.class).find("search");
                    RateLimiter search = context.getBean(RateLimiters.class).get("search");

                    search.tryAcquire("a", 2);
                    assertThat(search.acquire("a", 1, Duration.ofSeconds(59))).isFalse();
                    FutureTask<Boolean> waiting =
                            new FutureTask<>(() -> search.acquire("a", 1, Duration.ofDays(365)));
                    new Thread(waiting).start();
                    while (!waiting.isDone()) {
                        time.advance(Duration.ofMillis(100));
                    }
                    assertThat(waiting.get()).isTrue();

                    assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(2);
                    assertThat(rule.counters().of(Outcome.REJECTED)).isEqualTo(1);
                });
    }

    @Test
    void a_decision_can_be_given_back_and_a_key_forgotten() {
        run(
                context -> {
                    RateLimiter search = context.getBean(RateLimiters.class).get("search");

                    Decision spent = search.tryAcquire("a", 2);
                    search.refund("a", spent);
                    assertThat(search.peek("a").remaining()).isEqualTo(2);

                    search.tryAcquire("a", 2);
                    search.reset("a");
                    assertThat(search.peek("a").remaining()).isEqualTo(2);
                });
    }

    @Test
    void closing_a_limiter_does_nothing() {
        run(
                context -> {
                    RateLimiters limiters = context.getBean(RateLimiters.class);
                    limiters.get("search").tryAcquire("a", 2);
                    limiters.get("search").close();

                    assertThat(limiters.get("search").tryAcquire("a").allowed()).isFalse();
                });
    }

    @Test
    void an_update_changes_the_limit_and_keeps_what_was_spent() {
        run(
                context -> {
                    RateLimiters limiters = context.getBean(RateLimiters.class);
                    RateLimiter search = limiters.get("search");
                    search.tryAcquire("a", 2);

                    limiters.update("search", LimitConfig.of(5, Duration.ofMinutes(1)));

                    assertThat(search.peek("a").remaining()).isEqualTo(3);
                    assertThat(limiters.get("search").tryAcquire("a", 4).allowed()).isFalse();
                    assertThat(limiters.get("search").tryAcquire("a", 3).allowed()).isTrue();
                });
    }

    @Test
    void an_update_that_cannot_work_changes_nothing() {
        run(
                context -> {
                    RateLimiters limiters = context.getBean(RateLimiters.class);
                    LimitConfig two = LimitConfig.of(2, Duration.ofMinutes(1));

                    assertThatIllegalStateException()
                            .isThrownBy(() -> limiters.update("double", two));
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> limiters.update("search", two.withBurst(4)))
                            .withMessageContaining("burst");
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> limiters.update("costly", two))
                            .withMessageContaining("costs 3 permits");
                    assertThat(limiters.get("costly").tryAcquire("a", 5).allowed()).isTrue();
                });
    }

    @Test
    void an_unknown_rule_is_answered_with_those_that_there_are() {
        run(
                context -> {
                    RateLimiters limiters = context.getBean(RateLimiters.class);

                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> limiters.get("serch"))
                            .withMessageContaining("'serch'")
                            .withMessageContaining("costly, double, search");
                    assertThatIllegalArgumentException()
                            .isThrownBy(
                                    () ->
                                            limiters.update(
                                                    "serch",
                                                    LimitConfig.of(1, Duration.ofMinutes(1))));
                });
    }

    @Test
    void when_limits_are_off_everything_is_admitted_and_nothing_spent_or_counted() {
        Contexts.plain()
                .withPropertyValues("ratelimit.enabled=false")
                .withInitializer(yaml(RULES))
                .run(
                        context -> {
                            Rule rule = context.getBean(Rules.class).find("search");
                            RateLimiter search = context.getBean(RateLimiters.class).get("search");
                            long[] out = new long[3];

                            for (int i = 0; i < 5; i++) {
                                Decision decision = search.tryAcquire("a", 7);
                                assertThat(decision.allowed()).isTrue();
                                assertThat(decision.remaining()).isEqualTo(2);
                                search.refund("a", decision);
                                assertThat(search.tryAcquire("a", 7, out)).isTrue();
                                assertThat(out[RateLimitStrategy.REMAINING]).isEqualTo(2);
                                assertThat(out[RateLimitStrategy.RETRY_NANOS]).isZero();
                                assertThat(search.acquire("a", 7, Duration.ZERO)).isTrue();
                            }
                            assertThat(rule.counters().of(Outcome.ALLOWED)).isZero();
                            assertThat(rule.counters().of(Outcome.REJECTED)).isZero();
                            assertThatIllegalArgumentException()
                                    .isThrownBy(() -> search.tryAcquire("a", 0));
                        });
    }

    private void run(ContextConsumer<AssertableApplicationContext> consumer) {
        Contexts.plain()
                .withBean(TimeSource.class, () -> time)
                .withInitializer(yaml(RULES))
                .run(consumer);
    }
}
