package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.admittedOfTen;
import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.autoconfigure.RateLimitAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitMethodAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitWebAutoConfiguration;
import dev.ratelimit.spring.rule.HandlerRules;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.Rule;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Service;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class AnnotatedHandlersTest {

    private static WebApplicationContextRunner web(Class<?>... beans) {
        return new WebApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(
                                RateLimitAutoConfiguration.class,
                                RateLimitMethodAutoConfiguration.class,
                                RateLimitWebAutoConfiguration.class))
                .withBean(
                        TimeSource.class,
                        () -> new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z")))
                .withUserConfiguration(beans);
    }

    private static List<String> rules(ApplicationContext context, Class<?> type, String method) {
        return context
                .getBean(HandlerRules.class)
                .of(ReflectionUtils.findMethod(type, method), type)
                .stream()
                .map(Rule::name)
                .toList();
    }

    @Test
    void handler_methods_are_left_to_the_interceptor_so_that_controllers_may_be_final() {
        web(FinalController.class, FinalTypedController.class, ContractController.class)
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            for (Class<?> type :
                                    List.of(
                                            FinalController.class,
                                            FinalTypedController.class,
                                            ContractController.class)) {
                                assertThat(AopUtils.isAopProxy(context.getBean(type))).isFalse();
                            }
                            assertThat(rules(context, FinalController.class, "a"))
                                    .containsExactly("FinalController.a");
                            assertThat(rules(context, FinalController.class, "b"))
                                    .containsExactly("FinalController.b", "FinalController.b-2");
                            assertThat(rules(context, FinalController.class, "free")).isEmpty();
                            assertThat(rules(context, FinalTypedController.class, "get"))
                                    .containsExactly("FinalTypedController");
                            assertThat(rules(context, ContractController.class, "get"))
                                    .containsExactly("Contract.get");
                        });
    }

    @Test
    void other_methods_and_other_beans_of_the_same_application_are_advised() {
        web(MixedController.class, Helper.class)
                .run(
                        context -> {
                            Helper helper = context.getBean(Helper.class);
                            assertThat(admittedOfTen(helper::call)).isEqualTo(2);
                            MixedController controller = context.getBean(MixedController.class);
                            assertThat(admittedOfTen(controller::helper)).isEqualTo(3);
                            // Its calls are counted as requests, by the interceptor.
                            assertThat(admittedOfTen(controller::handler)).isEqualTo(10);
                            assertThat(rules(context, MixedController.class, "handler"))
                                    .containsExactly("MixedController.handler");
                        });
    }

    @Test
    void without_the_interceptor_controllers_are_advised_like_other_beans() {
        with(MixedController.class)
                .run(
                        context -> {
                            MixedController controller = context.getBean(MixedController.class);
                            assertThat(admittedOfTen(controller::handler)).isEqualTo(1);
                        });
    }

    @Test
    void a_final_controller_whose_method_needs_the_advice_stops_the_start() {
        web(FinalWithExpression.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .isInstanceOf(InvalidRuleException.class)
                                        .hasMessageContaining("FinalWithExpression is final"));
    }

    @Test
    void a_handler_method_that_would_wait_stops_the_start() {
        for (Class<?> controller :
                List.of(WaitingController.class, WaitingType.class, WaitingContract.class)) {
            web(controller)
                    .run(
                            context ->
                                    assertThat(context.getStartupFailure())
                                            .as(controller.getSimpleName())
                                            .rootCause()
                                            .isInstanceOf(InvalidRuleException.class)
                                            .hasMessageContaining("maxWait of @RateLimited on ")
                                            .hasMessageContaining("are requests"));
        }
        web(WaitingHelper.class).run(context -> assertThat(context).hasNotFailed());
    }

    @RestController
    static final class FinalWithExpression {
        @GetMapping("/a/{id}")
        @RateLimited(requests = 3, key = "#id")
        String a(String id) {
            return "a";
        }
    }

    @RestController
    static class WaitingController {
        @GetMapping("/a")
        @RateLimited(requests = 3, maxWait = "1s")
        String a() {
            return "a";
        }
    }

    @RestController
    @RateLimited(requests = 3, maxWait = "1s")
    static class WaitingType {
        @GetMapping("/a")
        String a() {
            return "a";
        }
    }

    interface WaitingApi {
        @GetMapping("/a")
        @RateLimited(requests = 3, maxWait = "1s", fallback = "b")
        String a();

        default String b() {
            return "b";
        }
    }

    @RestController
    static class WaitingContract implements WaitingApi {
        @Override
        public String a() {
            return "a";
        }
    }

    @RestController
    static class WaitingHelper {
        @GetMapping("/a")
        String a() {
            return "a";
        }

        @RateLimited(requests = 3, maxWait = "1s")
        String helper() {
            return "helper";
        }
    }

    @RestController
    static final class FinalController {
        @GetMapping("/a/{id}")
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        String a() {
            return "a";
        }

        @GetMapping("/b/{id}")
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        @RateLimited(requests = 5, unit = TimeUnit.HOURS)
        String b() {
            return "b";
        }

        @GetMapping("/free")
        String free() {
            return "free";
        }
    }

    @RestController
    @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
    static final class FinalTypedController {
        @GetMapping("/typed")
        String get() {
            return "typed";
        }

        @ExceptionHandler
        String failed(IllegalStateException e) {
            return "failed";
        }
    }

    interface Contract {
        @GetMapping("/contract")
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        String get();
    }

    @RestController
    static final class ContractController implements Contract {
        @Override
        public String get() {
            return "contract";
        }
    }

    @RestController
    static class MixedController {
        @GetMapping("/mixed")
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        String handler() {
            return "mixed";
        }

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        String helper() {
            return "helper";
        }
    }

    @Service
    static class Helper {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        void call() {}
    }
}
