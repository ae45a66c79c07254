package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.InvalidRuleException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;

/** Annotations that no call could obey stop the start, and say how to put it right. */
class InvalidAdviceTest {

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(SyntaxError.class, "key of ", "'#order.' is not an expression"),
                mistake(SyntaxErrorInPermits.class, "permits of ", "'#a +' is not an expression"),
                mistake(
                        MisspeltParameter.class,
                        "key of ",
                        "has no parameter 'ordr'. Did you mean 'order'? Its parameters are order,"
                                + " name; #a0 is the first."),
                mistake(MisspeltInPermits.class, "permits of ", "has no parameter 'item'"),
                mistake(MisspeltDeepInside.class, "key of ", "has no parameter 'most'"),
                mistake(NoParameters.class, "key of ", "It has no parameters: use another key"),
                mistake(NumberTooHigh.class, "key of ", "has no parameter 'a2'"),
                mistake(UnknownProperty.class, "key of ", "there is no 'tenant'"),
                mistake(Function.class, "key of ", "there is no function '#id(1)'"),
                mistake(
                        TypeWithoutParameter.class,
                        "key of ",
                        ".other(java.lang.String) has no parameter 'tenant'"),
                mistake(NotBeginningWithHash.class, "key of ", "'id.#name' is none of"),
                mistake(NoFallback.class, "fallback of ", "The bean has no method 'later'. Name"),
                mistake(
                        OtherParameters.class,
                        "fallback of ",
                        ".later(int) takes other arguments. Name a method of the same bean that"
                                + " takes (long), and may take a RateLimitExceededException after"
                                + " that, and returns java.lang.String."),
                mistake(ExceptionFirst.class, "fallback of ", "takes other arguments"),
                mistake(OtherException.class, "fallback of ", "takes other arguments"),
                mistake(Ambiguous.class, "fallback of ", "There are several that fit: "),
                mistake(
                        OtherReturnType.class,
                        "fallback of ",
                        "returns java.lang.Object, and not java.lang.String"),
                mistake(VoidFallback.class, "fallback of ", "returns void, and not int"),
                mistake(StaticFallback.class, "fallback of ", "later() is static"),
                mistake(ItsOwnFallback.class, "fallback of ", "The bean has no method 'call'"),
                mistake(LazyMistake.class, "fallback of ", "The bean has no method 'later'"),
                mistake(WaitInWords.class, "maxWait of ", "'soon' is not a length of time"),
                mistake(NoWait.class, "maxWait of ", "from 1 ms to 366 days: PT0S"),
                mistake(ReactiveWait.class, "maxWait of ", "returns a reactive type"),
                mistake(FinalWithFallback.class, "", "call() is final"));
    }

    private static Arguments mistake(Class<?> bean, String attribute, String message) {
        return Arguments.of(bean, attribute, message);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void a_mistake_stops_the_start(Class<?> bean, String attribute, String message) {
        with(bean)
                .run(
                        context -> {
                            assertThat(context).hasFailed();
                            assertThat(
                                            NestedExceptionUtils.getMostSpecificCause(
                                                    context.getStartupFailure()))
                                    .isInstanceOf(InvalidRuleException.class)
                                    .hasMessageContaining(
                                            attribute + "@RateLimited on " + bean.getTypeName())
                                    .hasMessageContaining(message);
                        });
    }

    /** Its interface has names, which are in no class file of a proxy. */
    @Test
    void a_mistake_on_an_interface_stops_the_start_though_no_class_is_behind_it() {
        with(Proxies.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("has no parameter 'ident'"));
    }

    @Test
    void a_fallback_may_be_in_a_class_that_is_not_known_yet() {
        with(LazyBeans.class)
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            Api api = context.getBean(Api.class);
                            assertThat(List.of(api.call(), api.call())).containsExactly(1, 2);
                        });
    }

    record Order(String name) {}

    static class SyntaxError {
        @RateLimited(requests = 1, key = "#order.")
        public void call(Order order) {}
    }

    static class SyntaxErrorInPermits {
        @RateLimited(requests = 1, permits = "#a +")
        public void call(int a) {}
    }

    static class MisspeltParameter {
        @RateLimited(requests = 1, key = "#ordr.name")
        public void call(Order order, String name) {}
    }

    static class MisspeltInPermits {
        @RateLimited(requests = 1, permits = "#item.size()")
        public void call(List<String> items) {}
    }

    static class MisspeltDeepInside {
        @RateLimited(requests = 1, key = "#items.?[length() > #most].size()")
        public void call(List<String> items, int max) {}
    }

    static class NoParameters {
        @RateLimited(
                requests = 1,
                key = {"ip", "#id"})
        public void call() {}
    }

    static class NumberTooHigh {
        @RateLimited(requests = 1, key = "#a2")
        public void call(String one, String two) {}
    }

    static class UnknownProperty {
        @RateLimited(requests = 1, key = "#id + tenant")
        public void call(String id) {}
    }

    static class Function {
        @RateLimited(requests = 1, key = "#id(1)")
        public void call(String id) {}
    }

    @RateLimited(requests = 1, key = "#tenant")
    static class TypeWithoutParameter {
        public void call(String tenant) {}

        public void other(String customer) {}
    }

    static class NotBeginningWithHash {
        @RateLimited(requests = 1, key = "id.#name")
        public void call(String name) {}
    }

    static class NoFallback {
        @RateLimited(requests = 1, fallback = "later")
        public void call() {}
    }

    static class OtherParameters {
        @RateLimited(requests = 1, fallback = "later")
        public String call(long number) {
            return "";
        }

        String later(int number) {
            return "";
        }
    }

    static class ExceptionFirst {
        @RateLimited(requests = 1, fallback = "later")
        public void call(String name) {}

        void later(RateLimitExceededException e, String name) {}
    }

    static class OtherException {
        @RateLimited(requests = 1, fallback = "later")
        public void call() {}

        void later(IllegalStateException e) {}
    }

    static class Ambiguous {
        @RateLimited(requests = 1, fallback = "later")
        public void call() {}

        void later(RateLimitExceededException e) {}

        void later() {}
    }

    static class OtherReturnType {
        @RateLimited(requests = 1, fallback = "later")
        public String call() {
            return "";
        }

        Object later() {
            return "";
        }
    }

    static class VoidFallback {
        @RateLimited(requests = 1, fallback = "later")
        public int call() {
            return 1;
        }

        void later() {}
    }

    static class StaticFallback {
        @RateLimited(requests = 1, fallback = "later")
        public void call() {}

        static void later() {}
    }

    static class ItsOwnFallback {
        @RateLimited(requests = 1, fallback = "call")
        public void call() {}
    }

    @Lazy
    @Component
    static class LazyMistake {
        @RateLimited(requests = 1, fallback = "later")
        public void call() {}
    }

    static class WaitInWords {
        @RateLimited(requests = 1, maxWait = "soon")
        public void call() {}
    }

    static class NoWait {
        @RateLimited(requests = 1, maxWait = "0s")
        public void call() {}
    }

    static class ReactiveWait {
        @RateLimited(requests = 1, maxWait = "1s")
        public Flux<String> call() {
            return Flux.empty();
        }
    }

    static class FinalWithFallback {
        @RateLimited(requests = 1, fallback = "later")
        public final void call() {}

        void later() {}
    }

    interface Finder {
        @RateLimited(requests = 1, key = "#ident")
        void find(String id);
    }

    @Configuration(proxyBeanMethods = false)
    static class Proxies {
        @Bean
        Finder finder() {
            return (Finder)
                    Proxy.newProxyInstance(
                            Finder.class.getClassLoader(),
                            new Class<?>[] {Finder.class},
                            (proxy, method, arguments) -> null);
        }
    }

    interface Api {
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "later")
        int call();
    }

    static class ApiWithFallback implements Api {
        @Override
        public int call() {
            return 1;
        }

        private int later() {
            return 2;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBeans {
        @Bean
        @Lazy
        Api api() {
            return new ApiWithFallback();
        }
    }
}
