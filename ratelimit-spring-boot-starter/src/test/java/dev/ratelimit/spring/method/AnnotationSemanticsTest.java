package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.admittedOfTen;
import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.LimitStrategy;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.RuleSource;
import dev.ratelimit.spring.rule.Rules;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.annotation.AliasFor;

class AnnotationSemanticsTest {

    @Test
    void a_call_above_the_limit_throws_and_the_next_window_admits_again() {
        with(Search.class)
                .run(
                        context -> {
                            Search search = context.getBean(Search.class);
                            assertThat(search.find("a")).isEqualTo("found a");
                            assertThat(search.find("b")).isEqualTo("found b");
                            assertThatThrownBy(() -> search.find("c"))
                                    .isInstanceOfSatisfying(
                                            RateLimitExceededException.class,
                                            e -> {
                                                assertThat(e.ruleName()).isEqualTo("Search.find");
                                                assertThat(e.violatedPolicies())
                                                        .containsExactly("default");
                                                assertThat(e.decision().limit()).isEqualTo(2);
                                                assertThat(e.decision().retryAfter())
                                                        .isEqualTo(Duration.ofMinutes(1));
                                            });
                            MethodContext.TIME.advance(Duration.ofMinutes(1));
                            assertThat(search.find("d")).isEqualTo("found d");
                        });
    }

    @Test
    void an_inline_limit_is_a_rule_that_is_known_from_the_start() {
        with(Search.class)
                .run(
                        context -> {
                            Rule rule = context.getBean(Rules.class).find("Search.find");
                            assertThat(rule).isNotNull();
                            assertThat(rule.definition().source()).isEqualTo(RuleSource.ANNOTATION);
                            assertThat(rule.definition().where())
                                    .isEqualTo(
                                            "@RateLimited on "
                                                    + Search.class.getTypeName()
                                                    + ".find(java.lang.String)");
                            assertThat(rule.definition().displayName()).isEqualTo("default");
                        });
    }

    @Test
    void every_attribute_of_an_inline_limit_reaches_its_rule() {
        with(EveryAttribute.class)
                .run(
                        context -> {
                            Rule rule = context.getBean(Rules.class).find("All_of.them-1");
                            assertThat(rule).isNotNull();
                            assertThat(rule.definition().displayName()).isEqualTo("All_of.them-1");
                            assertThat(rule.definition().permits().constant()).hasValue(3);
                            assertThat(rule.definition().key()).containsExactly("user", "ip");
                            assertThat(rule.definition().limits().get(0).strategy())
                                    .isEqualTo("token-bucket");
                            assertThat(rule.definition().limits().get(0).limit().config())
                                    .hasToString("10 per PT2H, burst 30");
                            EveryAttribute bean = context.getBean(EveryAttribute.class);
                            assertThat(admittedOfTen(bean::call)).isEqualTo(10);
                            assertThat(admittedOfTen(bean::call)).isZero();
                        });
    }

    @Test
    void a_named_rule_is_shared_with_everything_that_names_it_and_its_paths_do_not_matter() {
        with(NamesARule.class, NamesARuleToo.class)
                .withPropertyValues(
                        "ratelimit.rules.shared.requests=3", "ratelimit.rules.shared.window=1m")
                .run(
                        context -> {
                            NamesARule one = context.getBean(NamesARule.class);
                            NamesARuleToo other = context.getBean(NamesARuleToo.class);
                            one.call();
                            other.call();
                            assertThat(admittedOfTen(one::call)).isEqualTo(1);
                            assertThat(admittedOfTen(other::call)).isZero();
                            assertThat(context.getBean(Rules.class).all()).hasSize(1);
                        });
    }

    @Test
    void the_annotation_of_a_method_replaces_that_of_its_type_and_other_methods_share_the_types() {
        with(TwoLevels.class)
                .run(
                        context -> {
                            TwoLevels bean = context.getBean(TwoLevels.class);
                            assertThat(admittedOfTen(bean::own)).isEqualTo(2);
                            bean.first();
                            assertThat(admittedOfTen(bean::second)).isEqualTo(4);
                            assertThat(admittedOfTen(bean::first)).isZero();
                            assertThat(context.getBean(Rules.class).all())
                                    .extracting(Rule::name)
                                    .containsExactly("TwoLevels", "TwoLevels.own");
                        });
    }

    @Test
    void several_annotations_on_one_method_all_apply_and_a_refusal_spends_nothing() {
        with(TwoLimits.class)
                .run(
                        context -> {
                            TwoLimits bean = context.getBean(TwoLimits.class);
                            assertThat(admittedOfTen(bean::call)).isEqualTo(2);
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            assertThat(admittedOfTen(bean::call)).isEqualTo(2);
                            MethodContext.TIME.advance(Duration.ofSeconds(1));
                            assertThat(admittedOfTen(bean::call)).isEqualTo(1);
                            assertThat(context.getBean(Rules.class).all())
                                    .extracting(Rule::name)
                                    .containsExactly("TwoLimits.call", "TwoLimits.call-2");
                        });
    }

    @Test
    void one_rule_named_twice_on_a_method_charges_once() {
        with(NamesOneRuleTwice.class)
                .withPropertyValues(
                        "ratelimit.rules.shared.requests=3", "ratelimit.rules.shared.window=1m")
                .run(
                        context ->
                                assertThat(
                                                admittedOfTen(
                                                        context.getBean(NamesOneRuleTwice.class)
                                                                ::call))
                                        .isEqualTo(3));
    }

    @Test
    void an_annotation_on_an_annotation_passes_its_attributes_on() {
        with(Composed.class)
                .run(
                        context -> {
                            Composed bean = context.getBean(Composed.class);
                            assertThat(admittedOfTen(bean::four)).isEqualTo(4);
                            assertThat(admittedOfTen(bean::default_)).isEqualTo(7);
                            assertThat(admittedOfTen(bean::twice)).isEqualTo(2);
                        });
    }

    @Test
    void annotations_of_interfaces_apply_and_those_of_an_implementation_replace_them() {
        with(Implementation.class)
                .run(
                        context -> {
                            Implementation bean = context.getBean(Implementation.class);
                            assertThat(admittedOfTen(() -> bean.convert("x"))).isEqualTo(3);
                            assertThat(admittedOfTen(bean::overridden)).isEqualTo(5);
                            assertThat(admittedOfTen(bean::ofTheType)).isEqualTo(4);
                            assertThat(admittedOfTen(bean::ofNoInterface)).isEqualTo(10);
                        });
    }

    @Test
    void a_generic_method_is_charged_once_however_it_is_called() {
        with(Implementation.class)
                .run(
                        context -> {
                            @SuppressWarnings("unchecked")
                            Api<String> bean = context.getBean(Api.class);
                            assertThat(admittedOfTen(() -> bean.convert("x"))).isEqualTo(3);
                            assertThat(admittedOfTen(() -> bean.generic("x"))).isEqualTo(6);
                        });
    }

    @Test
    void an_inherited_annotation_is_the_same_rule_for_all_subclasses() {
        with(FirstChild.class, SecondChild.class, OwnChild.class)
                .run(
                        context -> {
                            FirstChild first = context.getBean(FirstChild.class);
                            SecondChild second = context.getBean(SecondChild.class);
                            first.inherited();
                            assertThat(admittedOfTen(second::inherited)).isEqualTo(2);
                            assertThat(admittedOfTen(first::inherited)).isZero();
                            first.ofTheType();
                            assertThat(admittedOfTen(second::ofTheType)).isEqualTo(3);
                            assertThat(admittedOfTen(first::onlyInChild)).isZero();
                            assertThat(admittedOfTen(context.getBean(OwnChild.class)::ofTheType))
                                    .isEqualTo(6);
                        });
    }

    /** The compiler copies the method and its annotation into a public class below a hidden one. */
    @Test
    void a_copy_of_an_annotation_that_the_compiler_made_is_the_same_rule() {
        with(Visible.class, BelowVisible.class)
                .run(
                        context -> {
                            Visible bean = (Visible) context.getBean(name(Visible.class));
                            Visible below = context.getBean(BelowVisible.class);
                            bean.call();
                            assertThat(admittedOfTen(below::call)).isEqualTo(1);
                            assertThat(admittedOfTen(bean::call)).isZero();
                        });
    }

    private static String name(Class<?> type) {
        return "annotationSemanticsTest." + type.getSimpleName();
    }

    @Test
    void a_type_does_not_count_what_the_container_and_collections_call() {
        with(WithCallbacks.class)
                .run(
                        context -> {
                            WithCallbacks bean = context.getBean(WithCallbacks.class);
                            for (int i = 0; i < 5; i++) {
                                assertThat(bean).hasToString("bean").isEqualTo(bean);
                                assertThat(bean.isRunning()).isFalse();
                            }
                            assertThat(admittedOfTen(bean::call)).isEqualTo(1);
                        });
    }

    @Test
    void an_inner_call_is_not_counted_and_one_through_the_bean_is() {
        with(CallsItself.class)
                .run(
                        context -> {
                            CallsItself bean = context.getBean(CallsItself.class);
                            assertThat(admittedOfTen(bean::outer)).isEqualTo(10);
                            assertThat(admittedOfTen(bean::inner)).isEqualTo(1);
                        });
    }

    @Test
    void disabled_the_beans_stay_and_admit_everything() {
        with(Search.class)
                .withPropertyValues("ratelimit.enabled=false")
                .run(
                        context -> {
                            Search bean = context.getBean(Search.class);
                            assertThat(admittedOfTen(() -> bean.find("x"))).isEqualTo(10);
                            assertThat(context.getBean(Rules.class).find("Search.find"))
                                    .isNotNull();
                        });
    }

    static class Search {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        String find(String what) {
            return "found " + what;
        }
    }

    static class EveryAttribute {
        @RateLimited(
                requests = 10,
                window = 2,
                unit = TimeUnit.HOURS,
                burst = 30,
                strategy = LimitStrategy.TOKEN_BUCKET,
                key = {"user", "ip"},
                permits = "3",
                name = "All_of.them-1")
        void call() {}
    }

    static class NamesARule {
        @RateLimited("shared")
        void call() {}
    }

    static class NamesARuleToo {
        @RateLimited("shared")
        void call() {}
    }

    static class NamesOneRuleTwice {
        @RateLimited("shared")
        @RateLimited("shared")
        void call() {}
    }

    @RateLimited(requests = 5, unit = TimeUnit.MINUTES)
    static class TwoLevels {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        void own() {}

        void first() {}

        void second() {}
    }

    static class TwoLimits {
        @RateLimited(requests = 5, unit = TimeUnit.HOURS)
        @RateLimited(requests = 2)
        void call() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(unit = TimeUnit.MINUTES)
    @interface Cheap {
        @AliasFor(annotation = RateLimited.class, attribute = "requests")
        long times() default 7;
    }

    static class Composed {
        @Cheap(times = 4)
        void four() {}

        @Cheap
        void default_() {}

        @Cheap
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        void twice() {}
    }

    interface Api<T> {
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        T convert(T value);

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        void overridden();

        T generic(T value);
    }

    @RateLimited(requests = 4, unit = TimeUnit.MINUTES)
    interface AnnotatedApi {
        void ofTheType();
    }

    static class Implementation implements Api<String>, AnnotatedApi {
        @Override
        public String convert(String value) {
            return value;
        }

        @Override
        @RateLimited(requests = 5, unit = TimeUnit.MINUTES)
        public void overridden() {}

        @Override
        @RateLimited(requests = 6, unit = TimeUnit.MINUTES)
        public String generic(String value) {
            return value;
        }

        @Override
        public void ofTheType() {}

        void ofNoInterface() {}
    }

    @RateLimited(requests = 4, unit = TimeUnit.MINUTES)
    abstract static class Parent {
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        void inherited() {}

        void ofTheType() {}
    }

    static class FirstChild extends Parent {
        void onlyInChild() {}
    }

    @RateLimited(requests = 6, unit = TimeUnit.MINUTES)
    static class OwnChild extends Parent {}

    static class SecondChild extends Parent {
        @Override
        void inherited() {
            super.inherited();
        }
    }

    abstract static class Hidden {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public void call() {}
    }

    public static class Visible extends Hidden {}

    static class BelowVisible extends Visible {
        @Override
        public void call() {
            super.call();
        }
    }

    @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
    static class WithCallbacks implements SmartLifecycle {
        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }

        @Override
        public String toString() {
            return "bean";
        }

        void call() {}
    }

    static class CallsItself {
        void outer() {
            inner();
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        void inner() {}
    }
}
