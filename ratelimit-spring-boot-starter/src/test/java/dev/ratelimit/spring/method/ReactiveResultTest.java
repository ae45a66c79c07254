package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** When calls are counted whose work is not done when they return. */
class ReactiveResultTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void a_future_or_a_callable_is_counted_when_it_is_asked_for() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            assertThat(results.future().get()).isEqualTo("done");
                            assertThatThrownBy(results::future)
                                    .isInstanceOf(RateLimitExceededException.class);
                            results.callable();
                            assertThatThrownBy(results::callable)
                                    .isInstanceOf(RateLimitExceededException.class);
                        });
    }

    @Test
    void a_mono_is_counted_each_time_that_it_is_subscribed_to() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            for (int i = 0; i < 10; i++) {
                                results.mono("nobody subscribes");
                            }
                            assertThat(results.calls()).hasValue(0);
                            Mono<String> mono = results.mono("a");
                            assertThat(mono.block(SOON)).isEqualTo("a 1");
                            assertThat(mono.block(SOON)).isEqualTo("a 2");
                            assertThatThrownBy(() -> mono.block(SOON))
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThat(results.calls()).hasValue(2);
                            Rule rule = context.getBean(Rules.class).find("Results.mono");
                            assertThat(rule.counters().of(Outcome.ALLOWED)).isEqualTo(2);
                            assertThat(rule.counters().of(Outcome.REJECTED)).isEqualTo(1);
                        });
    }

    @Test
    void a_retry_is_one_more_call() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            assertThatThrownBy(() -> results.failing().retry(10).blockLast(SOON))
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThat(results.calls()).hasValue(3);
                        });
    }

    @Test
    void a_refusal_is_a_signal_and_the_fallback_another_source() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            Flux<Integer> flux = results.flux(3);
                            assertThat(flux.collectList().block(SOON)).containsExactly(1, 2, 3);
                            assertThat(flux.collectList().block(SOON)).containsExactly(-3);
                            assertThat(
                                            results.mono("x")
                                                    .then(results.mono("x"))
                                                    .then(results.mono("x"))
                                                    .onErrorReturn(
                                                            RateLimitExceededException.class,
                                                            "recovered")
                                                    .block(SOON))
                                    .isEqualTo("recovered");
                        });
    }

    @Test
    void what_the_method_throws_is_a_signal_and_nothing_is_swallowed() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            Mono<String> thrown = results.throwing();
                            assertThatThrownBy(() -> thrown.block(SOON))
                                    .isInstanceOf(IllegalStateException.class)
                                    .hasMessage("thrown");
                        });
    }

    @Test
    void the_context_of_the_subscriber_reaches_the_source() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            assertThat(
                                            results.contextual()
                                                    .contextWrite(c -> c.put("who", "ann"))
                                                    .block(SOON))
                                    .isEqualTo("ann");
                        });
    }

    @Test
    void other_reactive_types_are_counted_so_too() {
        with(Results.class)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            Publisher<String> publisher = results.publisher();
                            Mono.from(publisher).block(SOON);
                            assertThatThrownBy(() -> Mono.from(publisher).block(SOON))
                                    .isInstanceOf(RateLimitExceededException.class);
                            Flow.Publisher<String> flow = results.flow();
                            AtomicReference<Throwable> error = new AtomicReference<>();
                            flow.subscribe(new FirstOf(error));
                            assertThat(error).hasValue(null);
                            flow.subscribe(new FirstOf(error));
                            assertThat(error.get()).isInstanceOf(RateLimitExceededException.class);
                        });
    }

    @Test
    void who_is_counted_is_known_when_the_method_is_called() {
        ThreadLocal<String> address = new ThreadLocal<>();
        CurrentCaller caller =
                new CurrentCaller() {
                    @Override
                    public Caller get() {
                        String here = address.get();
                        return here == null ? Caller.NONE : new Request(here);
                    }
                };
        with(Results.class)
                .withBean(CurrentCaller.class, () -> caller)
                .run(
                        context -> {
                            Results results = context.getBean(Results.class);
                            address.set("203.0.113.7");
                            Mono<String> mono = results.mono("a");
                            address.remove();
                            mono.subscribeOn(Schedulers.single()).block(SOON);
                            Rule rule = context.getBean(Rules.class).find("Results.mono");
                            assertThat(rule.busyKeys().busiest(5))
                                    .extracting(busy -> busy.key().id())
                                    .containsExactly("203.0.113.7");
                        });
    }

    private record Request(String address) implements Caller {
        @Override
        public boolean isRequest() {
            return true;
        }
    }

    private record FirstOf(AtomicReference<Throwable> error) implements Flow.Subscriber<String> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(String item) {}

        @Override
        public void onError(Throwable thrown) {
            error.set(thrown);
        }

        @Override
        public void onComplete() {}
    }

    static class Results {
        private final AtomicInteger calls = new AtomicInteger();

        public AtomicInteger calls() {
            return calls;
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public Callable<String> callable() {
            return () -> "done";
        }

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public Mono<String> mono(String name) {
            return Mono.just(name + " " + calls.incrementAndGet());
        }

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        public Flux<String> failing() {
            calls.incrementAndGet();
            return Flux.error(new IllegalStateException("failed"));
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "negative")
        public Flux<Integer> flux(int count) {
            return Flux.range(1, count);
        }

        private Flux<Integer> negative(int count, RateLimitExceededException e) {
            return Flux.just(-count);
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public Mono<String> throwing() {
            throw new IllegalStateException("thrown");
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public Mono<String> contextual() {
            return Mono.deferContextual(context -> Mono.just(context.get("who")));
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public Publisher<String> publisher() {
            return Mono.just("x");
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public Flow.Publisher<String> flow() {
            return reactor.adapter.JdkFlowAdapter.publisherToFlowPublisher(Mono.just("x"));
        }
    }
}
