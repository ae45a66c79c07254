package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.Decision;
import dev.ratelimit.spring.rule.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Several instances of an application over one Redis. */
@ExtendWith(OutputCaptureExtension.class)
class SharedLimitTest {

    private final int redis = RedisServer.common().port;

    @BeforeEach
    void flush() {
        RedisServer.common().flush();
    }

    @Test
    void two_instances_share_one_budget() {
        try (Instance one = Instance.start(redis);
                Instance other = Instance.start(redis)) {
            List<Long> remaining = new ArrayList<>();
            int refused = 0;
            for (int i = 0; i < 30; i++) {
                Decision decision = (i % 2 == 0 ? one : other).call("search");
                if (decision.allowed()) {
                    remaining.add(decision.remaining());
                } else {
                    refused++;
                    assertThat(decision.remaining()).isZero();
                    assertThat(decision.retryAfter()).isPositive();
                }
            }

            assertThat(remaining).containsExactly(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L);
            assertThat(refused).isEqualTo(20);
            assertThat(one.store().state()).isEqualTo("available");
        }
    }

    @Test
    void callers_at_the_same_time_have_no_more_than_there_is() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (Instance one = Instance.start(redis);
                Instance other = Instance.start(redis)) {
            List<Future<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Instance instance = i % 2 == 0 ? one : other;
                calls.add(threads.submit(instance::allowed));
            }
            int admitted = 0;
            for (Future<Boolean> call : calls) {
                admitted += call.get() ? 1 : 0;
            }

            assertThat(admitted).isEqualTo(10);
            assertThat(one.rule("search").counters().of(Outcome.STORE_FAILURE)).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void warns_where_instances_would_hash_keys_each_in_its_own_way(CapturedOutput output) {
        String byKey = "--ratelimit.rules.search.key=header:X-Api-Key";
        try (Instance instance = Instance.start(redis, byKey, "--ratelimit.hash-secret=ours")) {
            assertThat(output).doesNotContain("RL-RANDOM-HASH");
        }
        try (Instance instance = Instance.start(redis, byKey, "--ratelimit.hash-secret=")) {
            assertThat(output).contains("RL-RANDOM-HASH");
        }
    }

    @Test
    void a_reset_by_one_instance_reaches_the_other() {
        try (Instance one = Instance.start(redis);
                Instance other = Instance.start(redis)) {
            for (int i = 0; i < 10; i++) {
                one.allowed();
            }
            assertThat(one.allowed()).isFalse();

            one.rule("search").reset("key");

            assertThat(one.allowed()).isTrue();
            assertThat(other.allowed()).isTrue();
        }
    }
}
