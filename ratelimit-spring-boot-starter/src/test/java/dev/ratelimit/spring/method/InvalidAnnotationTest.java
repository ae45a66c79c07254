package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.admittedOfTen;
import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.RateLimitStrategy;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Rules;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.stereotype.Component;

@ExtendWith(OutputCaptureExtension.class)
class InvalidAnnotationTest {

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(
                        UnknownRule.class,
                        "There is no rule 'serch'. Did you mean 'search'? The known rules are"
                                + " search."),
                Arguments.of(Nothing.class, "neither a rule nor requests"),
                Arguments.of(RuleAndRequests.class, "names the rule 'search'"),
                Arguments.of(RuleAndRequests.class, "sets requests as well"),
                Arguments.of(
                        RuleAndOthers.class,
                        "sets window, unit, strategy, key, permits, name as well"),
                Arguments.of(NegativeRequests.class, "requests must be from 1 to 1000000000: -1"),
                Arguments.of(NoWindow.class, "window must be from 1 ms to 366 days: PT0S"),
                Arguments.of(HugeWindow.class, "window must be from 1 ms to 366 days"),
                Arguments.of(BurstOfFixedWindow.class, "burst is 5, but strategy fixed-window"),
                Arguments.of(NegativeBurst.class, "burst must be from 1 to 1000000000: -5"),
                Arguments.of(UnknownStrategyBean.class, "There is no strategy 'mine'"),
                Arguments.of(StrategyAndBean.class, "both a strategy, TOKEN_BUCKET, and"),
                Arguments.of(InvalidName.class, "'has space' cannot be the name of a rule"),
                Arguments.of(TakenName.class, "There is a rule named 'search' already"),
                Arguments.of(PermitsInWords.class, "'two' is not a number"),
                Arguments.of(NoPermits.class, "permits must be at least 1: 0"),
                Arguments.of(NegativePermits.class, "permits must be at least 1: -1"),
                Arguments.of(PermitsAboveCapacity.class, "A request costs 6 permits"),
                Arguments.of(UnknownKey.class, "planet"),
                Arguments.of(FinalMethod.class, "call() is final"),
                Arguments.of(FinalMethodOfAnnotatedType.class, "call() is final"),
                Arguments.of(FinalClass.class, "is final"),
                Arguments.of(LazyFinalClass.class, "is final"),
                Arguments.of(OnBeanMethod.class, "A @Bean method is called to make a bean"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void stops_the_start_with_a_message_that_names_the_place(Class<?> bean, String message) {
        with(bean)
                .withPropertyValues(
                        "ratelimit.rules.search.requests=3", "ratelimit.rules.search.window=1m")
                .run(
                        context ->
                                assertThat(rootOf(context.getStartupFailure()))
                                        .isInstanceOf(InvalidRuleException.class)
                                        .hasMessageContaining(message)
                                        .hasMessageContaining(
                                                "@RateLimited on " + bean.getTypeName()));
    }

    private static @Nullable Throwable rootOf(@Nullable Throwable failure) {
        return failure == null ? null : NestedExceptionUtils.getMostSpecificCause(failure);
    }

    @Test
    void a_strategy_bean_counts() {
        with(UnknownStrategyBean.class, StrategyConfiguration.class)
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            UnknownStrategyBean bean = context.getBean(UnknownStrategyBean.class);
                            assertThat(admittedOfTen(bean::call)).isZero();
                        });
    }

    @Test
    void a_mistake_in_a_lazy_bean_stops_the_start_too_and_makes_no_bean() {
        LazyMistake.made = 0;
        with(LazyMistake.class)
                .run(
                        context -> {
                            assertThat(context).hasFailed();
                            assertThat(LazyMistake.made).isZero();
                        });
        with(Nothing.class)
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void a_mistake_in_a_bean_of_unknown_type_stops_its_making() {
        with(UnknownTypes.class)
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            assertThatThrownBy(() -> context.getBean("late"))
                                    .rootCause()
                                    .isInstanceOf(InvalidRuleException.class)
                                    .hasMessageContaining(UnknownRule.class.getTypeName());
                            Runnable valid = (Runnable) context.getBean("lateAndValid");
                            assertThat(context.getBean(Rules.class).find("LateAndValid.run"))
                                    .isNotNull();
                            assertThat(admittedOfTen(valid)).isEqualTo(1);
                            // A prototype: the next one shares the rule, and what is left of it.
                            assertThat(admittedOfTen((Runnable) context.getBean("lateAndValid")))
                                    .isZero();
                        });
    }

    @Test
    void private_and_static_methods_are_warned_of_once(CapturedOutput output) {
        with(Uncountable.class)
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            context.getBean(Uncountable.class);
                            context.getBean(Uncountable.class);
                        });
        assertThat(output)
                .containsOnlyOnce("RL-UNCOUNTED-METHOD: " + name("privately") + " is private")
                .containsOnlyOnce("RL-UNCOUNTED-METHOD: " + name("statically") + " is static");
    }

    private static String name(String method) {
        return Uncountable.class.getTypeName() + "." + method + "()";
    }

    @Test
    void an_object_that_was_not_made_as_a_bean_is_warned_of(CapturedOutput output) {
        with().withInitializer(
                        context ->
                                context.getBeanFactory().registerSingleton("ready", new Inherits()))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).containsOnlyOnce("RL-UNCOUNTED-BEAN: The bean 'ready'");
    }

    @Test
    void a_final_method_that_an_annotated_type_inherits_is_warned_of(CapturedOutput output) {
        with(Inherits.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).containsOnlyOnce(LibraryClass.class.getTypeName() + ".ready() is final");
    }

    static class UnknownRule {
        @RateLimited("serch")
        void call() {}
    }

    static class Nothing {
        @RateLimited
        void call() {}
    }

    static class RuleAndRequests {
        @RateLimited(value = "search", requests = 3)
        void call() {}
    }

    static class RuleAndOthers {
        @RateLimited(
                value = "search",
                window = 2,
                unit = TimeUnit.MINUTES,
                strategy = LimitStrategy.SLIDING_LOG,
                key = "ip",
                permits = "2",
                name = "other")
        void call() {}
    }

    @RateLimited(requests = -1)
    static class NegativeRequests {
        void call() {}
    }

    static class NoWindow {
        @RateLimited(requests = 1, window = 0)
        void call() {}
    }

    static class HugeWindow {
        @RateLimited(requests = 1, window = Long.MAX_VALUE, unit = TimeUnit.DAYS)
        void call() {}
    }

    static class BurstOfFixedWindow {
        @RateLimited(requests = 1, burst = 5)
        void call() {}
    }

    static class NegativeBurst {
        @RateLimited(requests = 1, burst = -5, strategy = LimitStrategy.TOKEN_BUCKET)
        void call() {}
    }

    static class UnknownStrategyBean {
        @RateLimited(requests = 1, strategyBean = "mine")
        void call() {}
    }

    static class StrategyAndBean {
        @RateLimited(requests = 1, strategy = LimitStrategy.TOKEN_BUCKET, strategyBean = "mine")
        void call() {}
    }

    static class InvalidName {
        @RateLimited(requests = 1, name = "has space")
        void call() {}
    }

    static class TakenName {
        @RateLimited(requests = 1, name = "search")
        void call() {}
    }

    static class PermitsInWords {
        @RateLimited(requests = 1, permits = "two")
        void call() {}
    }

    static class NoPermits {
        @RateLimited(requests = 1, permits = "0")
        void call() {}
    }

    static class NegativePermits {
        @RateLimited(requests = 1, permits = "-1")
        void call() {}
    }

    static class PermitsAboveCapacity {
        @RateLimited(requests = 5, permits = "6")
        void call() {}
    }

    static class UnknownKey {
        @RateLimited(requests = 1, key = "planet")
        void call() {}
    }

    static class FinalMethod {
        @RateLimited(requests = 1)
        final void call() {}
    }

    @RateLimited(requests = 1)
    static class FinalMethodOfAnnotatedType {
        final void call() {}
    }

    static final class FinalClass {
        @RateLimited(requests = 1)
        void call() {}
    }

    @Lazy
    @Component
    static final class LazyFinalClass {
        @RateLimited(requests = 1)
        void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OnBeanMethod {
        @Bean
        @RateLimited(requests = 1)
        Object call() {
            return new Object();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class StrategyConfiguration {
        @Bean
        RateLimitStrategy mine() {
            return (bucket, config, permits, nowNanos, out) -> {
                out[RateLimitStrategy.RETRY_NANOS] = -1;
                return false;
            };
        }
    }

    @Lazy
    @Component
    static class LazyMistake {
        static int made;

        LazyMistake() {
            made++;
        }

        @RateLimited
        void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class UnknownTypes {
        @Bean
        @Lazy
        Object late() {
            return new UnknownRule();
        }

        @Bean
        @Scope("prototype")
        Object lateAndValid() {
            return new LateAndValid();
        }
    }

    static class LateAndValid implements Runnable {
        @Override
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public void run() {}
    }

    @Component
    @Scope("prototype")
    static class Uncountable {
        @RateLimited(requests = 1)
        private void privately() {}

        @RateLimited(requests = 1)
        static void statically() {}

        @RateLimited(requests = 1)
        void call() {
            privately();
        }
    }

    static class LibraryClass {
        public final boolean ready() {
            return true;
        }
    }

    @RateLimited(requests = 1)
    static class Inherits extends LibraryClass {
        void call() {}
    }
}
