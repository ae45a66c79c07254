package dev.ratelimit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.test.context.TestPropertySource;

@EnabledForJreRange(min = JRE.JAVA_21)
@TestPropertySource(
        properties = {
            "spring.threads.virtual.enabled=true",
            "ratelimit.rules.burst.paths=/target",
            "ratelimit.rules.target.paths=/nowhere",
            "ratelimit.rules.burst.requests=50",
            "ratelimit.rules.burst.window=1m"
        })
class VirtualThreadsTest extends CompatTest {

    @Test
    void handlers_run_on_virtual_threads() {
        assertThat(get("/thread").body()).isEqualTo("java.lang.VirtualThread");
    }

    @Test
    void requests_at_once_get_exactly_what_the_limit_has() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(16);
        try {
            List<Future<Integer>> statuses =
                    clients.invokeAll(
                            Stream.generate(() -> (Callable<Integer>) () -> status("/target"))
                                    .limit(200)
                                    .toList());
            int allowed = 0;
            for (Future<Integer> status : statuses) {
                allowed += status.get() == 200 ? 1 : 0;
            }
            assertThat(allowed).isEqualTo(50);
        } finally {
            clients.shutdown();
        }
    }

    @Test
    void annotated_services_are_limited() {
        assertThat(statuses(2, "/calls/converter")).containsExactly(200, 429);
    }
}
