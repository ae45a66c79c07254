package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.TestRules;
import dev.ratelimit.spring.TestRules.Client;
import dev.ratelimit.spring.key.KeyParser;
import dev.ratelimit.spring.key.SecretHash;
import dev.ratelimit.spring.rule.Decider;
import dev.ratelimit.spring.rule.OnFailure;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Patience;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleCharge;
import dev.ratelimit.spring.rule.RuleDefinition;
import dev.ratelimit.spring.rule.RuleSource;
import dev.ratelimit.spring.rule.Rules;
import dev.ratelimit.spring.rule.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Several rules decide on one call, and Redis answers for some of them only. */
@ExtendWith(OutputCaptureExtension.class)
class PartialFailureTest {

    private static final Client CLIENT = new Client("192.0.2.1");

    private final UnreliableScripts redis = new UnreliableScripts();
    private final RedisStore store =
            new RedisStore(
                    redis,
                    UnreliableScripts.PREFIX,
                    Duration.ofSeconds(10),
                    new InMemoryStore(TimeSource.system()),
                    System::nanoTime);
    private final Rules rules =
            new Rules(
                    store,
                    new KeyParser(new SecretHash("test"), 64, name -> false),
                    TestRules.MAX_KEYS,
                    List.of());
    private final Decider decider = new Decider(store, true, OnFailure.ALLOW);

    @BeforeEach
    void start() {
        RedisServer.common().flush();
        store.start();
    }

    @AfterEach
    void close() throws Exception {
        rules.destroy();
        store.close();
    }

    private Rule rule(String name, int requests, OnFailure onFailure) {
        return rules.add(
                RuleDefinition.builder(name, RuleSource.PROPERTIES, "ratelimit.rules." + name)
                        .key(List.of("ip"))
                        .limit(TestRules.fixedWindow(requests, Duration.ofDays(1)))
                        .onFailure(onFailure)
                        .build());
    }

    private Verdict decide(Rule... some) {
        return decider.decide(List.of(some), CLIENT);
    }

    /** What Redis has left of a rule for the client, told by spending one permit. */
    private long left(Rule rule) {
        redis.heal();
        Verdict verdict = decide(rule);
        return verdict.allowed() ? verdict.charges().get(0).charge().remaining(0) + 1 : 0;
    }

    private static List<String> names(Verdict verdict) {
        return verdict.charges().stream().map(charge -> charge.rule().name()).toList();
    }

    private static long failures(Rule rule) {
        return rule.counters().of(Outcome.STORE_FAILURE);
    }

    @Test
    void what_was_answered_counts_and_is_shown() {
        Rule a = rule("a", 5, null);
        Rule b = rule("b", 5, OnFailure.ALLOW);
        redis.down("b");

        Verdict verdict = decide(a, b);

        assertThat(verdict.allowed()).isTrue();
        assertThat(names(verdict)).containsExactly("a");
        assertThat(verdict.charges().get(0).charge().remaining(0)).isEqualTo(4);
        assertThat(a.counters().of(Outcome.ALLOWED)).isEqualTo(1);
        assertThat(failures(a)).isZero();
        assertThat(b.counters().of(Outcome.ALLOWED)).isZero();
        assertThat(failures(b)).isEqualTo(1);
        assertThat(left(a)).isEqualTo(4);
        assertThat(left(b)).isEqualTo(5);
    }

    @Test
    void an_answered_refusal_refuses_whatever_the_others_say_to_failures() {
        Rule a = rule("a", 1, null);
        Rule b = rule("b", 5, OnFailure.DENY);
        Rule c = rule("c", 5, null);
        decide(a);
        redis.down("b");

        Verdict verdict = decide(a, b, c);

        assertThat(verdict.allowed()).isFalse();
        assertThat(verdict.unavailable()).isFalse();
        assertThat(verdict.toException().violatedPolicies()).containsExactly("a");
        assertThat(names(verdict)).containsExactly("a", "c");
        assertThat(a.counters().of(Outcome.REJECTED)).isEqualTo(1);
        assertThat(failures(b)).isEqualTo(1);
        assertThat(left(c)).as("given back").isEqualTo(5);
    }

    @Test
    void a_rule_that_denies_gives_back_what_was_answered() {
        Rule a = rule("a", 5, null);
        Rule b = rule("b", 5, OnFailure.DENY);
        redis.down("b");

        Verdict verdict = decide(a, b);

        assertThat(verdict.allowed()).isFalse();
        assertThat(verdict.unavailable()).isTrue();
        assertThat(a.counters().of(Outcome.ALLOWED)).isZero();
        assertThat(failures(b)).isEqualTo(1);
        assertThat(left(a)).isEqualTo(5);
    }

    @Test
    void a_rule_that_decides_locally_decides_with_what_was_answered() {
        Rule a = rule("a", 5, null);
        Rule b = rule("b", 2, OnFailure.LOCAL);
        redis.down("b");
        for (int i = 0; i < 2; i++) {
            Verdict admitted = decide(a, b);
            assertThat(admitted.allowed()).isTrue();
            assertThat(names(admitted)).containsExactly("a", "b");
        }

        Verdict refused = decide(a, b);

        assertThat(refused.toException().violatedPolicies()).containsExactly("b");
        assertThat(b.counters().of(Outcome.REJECTED)).isEqualTo(1);
        assertThat(failures(b)).isEqualTo(3);
        assertThat(left(a)).as("the last one given back").isEqualTo(3);
    }

    @Test
    void a_refund_that_fails_changes_no_decision() {
        Rule a = rule("a", 1, null);
        Rule b = rule("b", 5, null);
        Rule c = rule("c", 5, OnFailure.DENY);
        decide(a);
        redis.refuseRefunds();
        assertThat(names(decide(a, b))).containsExactly("a", "b");
        assertThat(decide(a, b).toException().violatedPolicies()).containsExactly("a");

        redis.down("c");
        assertThat(decide(a, b, c).toException().violatedPolicies()).containsExactly("a");
        assertThat(decide(b, c).unavailable()).isTrue();
        assertThat(failures(a) + failures(b)).isZero();
        assertThat(left(b)).as("of 5, less what could not be given back").isEqualTo(2);
    }

    @Test
    void what_was_not_answered_is_not_given_back_since_it_may_not_have_been_spent() {
        Rule a = rule("a", 5, null);
        Rule b = rule("b", 5, OnFailure.DENY);
        decide(a, b);
        redis.down("b");
        decide(a, b);
        assertThat(left(b)).isEqualTo(4);

        redis.mute("b");
        decide(a, b);
        assertThat(left(b)).isEqualTo(2);
    }

    @Test
    void a_charge_that_was_answered_can_be_given_back_and_the_others_do_not_matter() {
        Rule a = rule("a", 5, null);
        Rule b = rule("b", 5, OnFailure.LOCAL);
        redis.down("b");
        Verdict verdict = decide(a, b);

        decider.refund(verdict.charges());

        assertThat(left(a)).isEqualTo(5);
        assertThat(left(b)).isEqualTo(5);
    }

    @Test
    void a_call_that_waits_asks_again_and_counts_once() {
        Rule a = rule("a", 1, null);
        Rule b = rule("b", 5, OnFailure.ALLOW);
        decide(a);
        redis.down("b");
        Patience twice =
                new Patience() {
                    private int waits;

                    @Override
                    public boolean waitAfter(Verdict refused) {
                        for (RuleCharge charge : refused.charges()) {
                            charge.rule().reset(CLIENT.address());
                        }
                        return waits++ < 2;
                    }
                };

        Verdict verdict = decider.decide(decider.ask(List.of(a, b), CLIENT), twice);

        assertThat(verdict.allowed()).isTrue();
        assertThat(names(verdict)).containsExactly("a");
        assertThat(a.counters().of(Outcome.ALLOWED)).isEqualTo(2);
        assertThat(a.counters().of(Outcome.REJECTED)).isZero();
        assertThat(failures(b)).isEqualTo(1);
    }

    @Test
    void a_node_that_is_down_is_not_asked_for_ever_and_the_others_are(CapturedOutput output) {
        Rule a = rule("a", 1_000, null);
        Rule b = rule("b", 1_000, OnFailure.ALLOW);
        redis.down("b");

        for (int i = 0; i < 100; i++) {
            assertThat(names(decide(a, b))).containsExactly("a");
        }

        assertThat(redis.inVain.get()).isBetween(Breaker.FAILURES, Breaker.FAILURES + 3);
        assertThat(failures(b)).isEqualTo(100);
        assertThat(failures(a)).isZero();
        assertThat(store.state()).isEqualTo("unavailable");
        assertThat(output).containsOnlyOnce("RL-STORE-UNAVAILABLE: Redis at b ");

        redis.heal();
        Instance.await(Duration.ofSeconds(10), () -> names(decide(a, b)).contains("b"));
        assertThat(store.state()).isEqualTo("available");
        assertThat(output).containsOnlyOnce("RL-STORE-AVAILABLE: Redis at b ");
    }
}
