package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetersTest extends CompatTest {

    @Test
    void each_decision_is_counted_by_its_outcome() {
        double allowed = count("allowed");
        double rejected = count("rejected");

        assertThat(statuses(5, "/search")).containsExactly(200, 200, 429, 429, 429);
        assertThat(count("allowed")).isEqualTo(allowed + 2);
        assertThat(count("rejected")).isEqualTo(rejected + 3);
    }

    @Test
    void the_buckets_of_a_rule_have_gauges() {
        assertThat(status("/search")).isEqualTo(200);
        assertThat(value("ratelimit.buckets?tag=rule:search")).isEqualTo(1);
        assertThat(value("ratelimit.bucket.remaining?tag=rule:search")).isEqualTo(1);
    }

    private double count(String outcome) {
        return value("ratelimit.requests?tag=rule:search&tag=outcome:" + outcome);
    }

    private double value(String meter) {
        return json(get("/actuator/metrics/" + meter), "$.measurements[0].value");
    }
}
