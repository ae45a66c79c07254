package dev.ratelimit.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.TestRules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private final TestRules test = new TestRules();
    private final Decider decider = new Decider(test.rules.store(), true, OnFailure.ALLOW);

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void the_smallest_part_that_is_left_decides() {
        Rule wide = test.add("wide", 100);
        Rule narrow = test.add("narrow", 10);
        assertThat(deciding(decide("a", wide, narrow))).isEqualTo("narrow");
        assertThat(deciding(decide("a", narrow, wide))).isEqualTo("narrow");
    }

    @Test
    void of_equals_the_later_reset_decides_and_then_the_name() {
        Rule zebra = test.add("zebra", 10);
        Rule adder = test.add("adder", 10);
        assertThat(deciding(decide("a", zebra, adder))).isEqualTo("adder");

        Rule later = test.add("zz", "ip", TestRules.fixedWindow(10, Duration.ofDays(1)));
        assertThat(deciding(decide("b", zebra, adder, later))).isEqualTo("zz");
    }

    @Test
    void the_longest_wait_decides_a_refusal_and_only_who_refuses_is_violated() {
        Rule hour = test.add("hour", 1);
        Rule day = test.add("day", "ip", TestRules.fixedWindow(1, Duration.ofDays(1)));
        Rule open = test.add("open", 10);
        decide("a", hour, day);

        Verdict refused = decide("a", hour, open, day);

        assertThat(refused.allowed()).isFalse();
        assertThat(deciding(refused)).isEqualTo("day");
        assertThat(refused.toException().violatedPolicies()).containsExactly("hour", "day");
        assertThat(refused.toException().ruleName()).isEqualTo("day");
        assertThat(refused.toException()).isInstanceOf(RateLimitExceededException.class);
        assertThat(refused.toException().getStackTrace()).isEmpty();
    }

    @Test
    void an_admission_cannot_be_thrown() {
        Verdict allowed = decide("a", test.add("open", 10));
        assertThatIllegalStateException().isThrownBy(allowed::toException);
        assertThatIllegalStateException().isThrownBy(Verdict.NONE::toException);
    }

    @Test
    void a_later_answer_about_a_key_takes_the_place_of_an_earlier_one() {
        Rule rule = test.add("rule", 10);
        Rule other = test.add("other", 10);
        decide("a", rule);
        Verdict earlier = decide("a", rule, other);
        Verdict soon = decide("a", rule);
        test.time.advance(Duration.ofHours(1));
        Verdict late = decide("a", rule);

        assertThat(earlier.and(soon).charges()).hasSize(2);
        assertThat(earlier.and(soon).charges().get(0).charge().remaining(0)).isEqualTo(7);
        assertThat(earlier.and(late).charges().get(0).charge().remaining(0)).isEqualTo(9);
    }

    @Test
    void of_two_keys_of_a_rule_the_stricter_answer_stays() {
        Rule rule = test.add("rule", 10);
        decide("a", rule);
        Verdict both = decide("a", rule).and(decide("b", rule));
        assertThat(both.charges()).hasSize(1);
        assertThat(both.charges().get(0).charge().remaining(0)).isEqualTo(8);
    }

    @Test
    void names_are_unique_and_do_not_change_with_what_comes_later() {
        Rule first = test.add("rule", 10);
        Rule second = test.add("rule-2", 10);
        Rule third =
                test.add(
                        "third",
                        "ip",
                        TestRules.fixedWindow(1, Duration.ofDays(1)),
                        TestRules.fixedWindow(2, Duration.ofDays(2)));
        Verdict verdict = decide("a", first, second);
        PolicyNames before = PolicyNames.of(verdict);
        PolicyNames after = PolicyNames.of(verdict.and(decide("a", third)));

        for (PolicyNames names : List.of(before, after)) {
            assertThat(names.of(first)).isEqualTo("rule");
            assertThat(names.of(second)).isEqualTo("rule-2");
        }
        assertThat(after.of(third, 0)).isEqualTo("third");
        assertThat(after.of(third, 1)).isEqualTo("third-2");
    }

    private Verdict decide(String address, Rule... rules) {
        return decider.decide(List.of(rules), new TestRules.Client(address));
    }

    private static String deciding(Verdict verdict) {
        return verdict.deciding().rule().name();
    }
}
