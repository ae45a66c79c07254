package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ApplicationContext;

/** Calls that wait for their permits, by a clock that moves when it is told to. */
@Timeout(30)
class MaxWaitTest {

    private static Rule rule(ApplicationContext context, String name) {
        return context.getBean(Rules.class).find(name);
    }

    /** A call on a thread of its own, once it waits for the clock. */
    private static <T> WaitingCall<T> waiting(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "waiting call");
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING && !task.isDone()) {
            Thread.onSpinWait();
        }
        return new WaitingCall<>(task, thread);
    }

    private record WaitingCall<T>(FutureTask<T> task, Thread thread) {
        T get() throws Exception {
            return task.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_call_waits_until_it_is_admitted_and_is_counted_once() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            assertThat(waits.paced()).isEqualTo(1);
                            WaitingCall<Integer> second = waiting(waits::paced);
                            MethodContext.TIME.advance(Duration.ofMillis(999));
                            assertThat(second.task().isDone()).isFalse();
                            MethodContext.TIME.advance(Duration.ofMillis(1));
                            assertThat(second.get()).isEqualTo(2);
                            Rule rule = rule(context, "Waits.paced");
                            assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(2);
                            assertThat(rule.counters().of(Outcome.REJECTED)).isZero();
                        });
    }

    @Test
    void a_call_that_waited_in_vain_is_counted_once_as_rejected() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            waits.paced();
                            WaitingCall<Integer> first = waiting(waits::paced);
                            WaitingCall<Integer> second = waiting(waits::paced);
                            WaitingCall<Integer> third = waiting(waits::paced);
                            // Each second admits one of them, and after two the third gives up.
                            List<WaitingCall<Integer>> calls =
                                    new ArrayList<>(List.of(first, second, third));
                            for (int i = 0; i < 2; i++) {
                                MethodContext.TIME.advance(Duration.ofSeconds(1));
                                awaitOneDone(calls);
                            }
                            assertThatThrownBy(calls.get(0)::get)
                                    .hasCauseInstanceOf(RateLimitExceededException.class);
                            Rule rule = rule(context, "Waits.paced");
                            assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(3);
                            assertThat(rule.counters().of(Outcome.REJECTED)).isEqualTo(1);
                        });
    }

    /** Takes the one out that is done, when the others wait again or are done too. */
    private static void awaitOneDone(List<WaitingCall<Integer>> calls) throws Exception {
        while (calls.stream().noneMatch(MaxWaitTest::isAdmitted)
                || calls.stream()
                        .anyMatch(
                                call ->
                                        !call.task().isDone()
                                                && call.thread().getState()
                                                        != Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        calls.remove(calls.stream().filter(MaxWaitTest::isAdmitted).findFirst().orElseThrow());
    }

    private static boolean isAdmitted(WaitingCall<Integer> call) {
        if (!call.task().isDone()) {
            return false;
        }
        try {
            call.task().get();
            return true;
        } catch (Exception e) {
            return false;
        }
    }

    @Test
    void a_call_that_could_not_be_admitted_in_time_is_refused_at_once() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            waits.perMinute();
                            assertThatThrownBy(waits::perMinute)
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThatThrownBy(() -> waits.costing(11))
                                    .as("never")
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThat(
                                            rule(context, "Waits.perMinute")
                                                    .counters()
                                                    .of(Outcome.REJECTED))
                                    .isEqualTo(1);
                        });
    }

    @Test
    void what_refuses_at_last_falls_back() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            assertThat(waits.withFallback()).isEqualTo("called");
                            WaitingCall<String> second = waiting(waits::withFallback);
                            assertThat(second.task().isDone()).isFalse();
                            assertThat(waits.other()).isEqualTo("other");
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            assertThat(second.get()).isEqualTo("called");
                            waits.perMinuteWithFallback();
                            assertThat(waits.perMinuteWithFallback()).isEqualTo("later");
                        });
    }

    @Test
    void a_named_rule_is_waited_for_only_where_an_annotation_says_so() {
        with(Search.class)
                .withPropertyValues(
                        "ratelimit.rules.search.requests=1", "ratelimit.rules.search.window=1s")
                .run(
                        context -> {
                            Search waits = context.getBean(Search.class);
                            waits.searchNow();
                            assertThatThrownBy(waits::searchNow)
                                    .isInstanceOf(RateLimitExceededException.class);
                            WaitingCall<Integer> patient = waiting(waits::searchPatiently);
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            assertThat(patient.get()).isEqualTo(7);
                        });
    }

    @Test
    void several_rules_are_waited_for_together_and_nothing_is_spent_meanwhile() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            waits.both("a");
                            // The rule of "b" admits it, the other one does not.
                            WaitingCall<String> second = waiting(() -> waits.both("b"));
                            Rule byId = rule(context, "Waits.both-2");
                            assertThat(byId.counters().of(Outcome.ALLOWED)).isEqualTo(1);
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            assertThat(second.get()).isEqualTo("b");
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            // Now that of "b" refuses, for a minute: longer than its own wait.
                            assertThatThrownBy(() -> waits.both("b"))
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThat(waits.both("c")).isEqualTo("c");
                        });
    }

    @Test
    void a_rule_without_a_wait_refuses_at_once_beside_one_that_waits() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            waits.halfPatient();
                            assertThatThrownBy(waits::halfPatient)
                                    .isInstanceOf(RateLimitExceededException.class);
                        });
    }

    @Test
    void an_interrupted_wait_ends_as_the_method_declares() throws Exception {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            waits.paced();
                            WaitingCall<Boolean> undeclared =
                                    waiting(
                                            () -> {
                                                assertThatThrownBy(waits::paced)
                                                        .isInstanceOf(
                                                                RateLimitExceededException.class);
                                                return Thread.interrupted();
                                            });
                            undeclared.thread().interrupt();
                            assertThat(undeclared.get()).as("still interrupted").isTrue();

                            waits.interruptible();
                            WaitingCall<Boolean> declared =
                                    waiting(
                                            () -> {
                                                assertThatThrownBy(waits::interruptible)
                                                        .isInstanceOf(InterruptedException.class);
                                                return Thread.interrupted();
                                            });
                            declared.thread().interrupt();
                            assertThat(declared.get()).as("no more interrupted").isFalse();
                            assertThat(
                                            rule(context, "Waits.interruptible")
                                                    .counters()
                                                    .of(Outcome.REJECTED))
                                    .isEqualTo(1);
                        });
    }

    @Test
    void a_future_is_begun_after_the_wait_of_its_caller() {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            waits.future().get();
                            WaitingCall<CompletableFuture<String>> second = waiting(waits::future);
                            assertThat(second.task().isDone()).isFalse();
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            assertThat(second.get().get()).isEqualTo("waiting call");
                        });
    }

    @Test
    void no_wait_is_too_long_for_any_of_many_callers_when_there_is_room_for_all() throws Exception {
        with(Waits.class)
                .run(
                        context -> {
                            Waits waits = context.getBean(Waits.class);
                            List<WaitingCall<Integer>> calls = new ArrayList<>();
                            for (int i = 0; i < 50; i++) {
                                calls.add(waiting(waits::crowded));
                            }
                            for (int second = 0; second < 10; second++) {
                                for (WaitingCall<Integer> call : calls) {
                                    while (call.thread().isAlive()
                                            && call.thread().getState() != Thread.State.WAITING) {
                                        Thread.onSpinWait();
                                    }
                                }
                                MethodContext.TIME.advance(Duration.ofSeconds(1));
                            }
                            for (WaitingCall<Integer> call : calls) {
                                assertThat(call.get()).isPositive();
                            }
                            Rule rule = rule(context, "Waits.crowded");
                            assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(50);
                            assertThat(rule.counters().of(Outcome.REJECTED)).isZero();
                        });
    }

    static class Search {
        @RateLimited("search")
        public void searchNow() {}

        @RateLimited(value = "search", maxWait = "1s")
        public int searchPatiently() {
            return 7;
        }
    }

    static class Waits {
        private final AtomicInteger calls = new AtomicInteger();

        @RateLimited(requests = 1, burst = 1, strategy = LimitStrategy.TOKEN_BUCKET, maxWait = "2s")
        public int paced() {
            return calls.incrementAndGet();
        }

        @RateLimited(requests = 5, strategy = LimitStrategy.TOKEN_BUCKET, maxWait = "20s")
        public int crowded() {
            return calls.incrementAndGet();
        }

        @RateLimited(
                requests = 1,
                unit = TimeUnit.MINUTES,
                strategy = LimitStrategy.TOKEN_BUCKET,
                maxWait = "59")
        public void perMinute() {}

        @RateLimited(requests = 10, permits = "#cost", maxWait = "1h")
        public void costing(int cost) {}

        @RateLimited(requests = 1, maxWait = "PT1S", fallback = "later")
        public String withFallback() {
            return "called";
        }

        @RateLimited(
                requests = 1,
                unit = TimeUnit.HOURS,
                strategy = LimitStrategy.TOKEN_BUCKET,
                maxWait = "1s",
                fallback = "later")
        public String perMinuteWithFallback() {
            return "called";
        }

        private String later() {
            return "later";
        }

        public String other() {
            return "other";
        }

        @RateLimited(requests = 1, maxWait = "5s")
        @RateLimited(
                requests = 1,
                unit = TimeUnit.MINUTES,
                strategy = LimitStrategy.TOKEN_BUCKET,
                key = "#id",
                maxWait = "5s")
        public String both(String id) {
            return id;
        }

        @RateLimited(requests = 1, maxWait = "5s")
        @RateLimited(requests = 1)
        public void halfPatient() {}

        @RateLimited(requests = 1, maxWait = "2s")
        public void interruptible() throws InterruptedException {}

        @RateLimited(requests = 1, maxWait = "2s")
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }
}
