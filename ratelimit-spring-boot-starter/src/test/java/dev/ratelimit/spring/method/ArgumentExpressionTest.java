package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.admittedOfTen;
import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.rule.CurrentCaller;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.security.Principal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What {@code #} in a key or in permits means at calls of advised methods. */
@ExtendWith(OutputCaptureExtension.class)
class ArgumentExpressionTest {

    private static List<String> ids(ApplicationContext context, String rule) {
        Rule found = context.getBean(Rules.class).find(rule);
        return found.busyKeys().busiest(20).stream().map(busy -> busy.key().id()).toList();
    }

    @Test
    void each_value_of_an_argument_has_a_bucket_of_its_own() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.byName("a"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byName("b"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byName("a"))).isZero();
                            assertThat(admittedOfTen(() -> orders.byNumber(5, 1L))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byNumber(6, 1L))).isZero();
                            assertThat(admittedOfTen(() -> orders.byNumber(6, 2L))).isEqualTo(2);
                            assertThat(ids(context, "Orders.byName"))
                                    .containsExactlyInAnyOrder("a", "b");
                        });
    }

    @Test
    void an_expression_reaches_into_records_maps_and_lists() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            Order ann = new Order(new Customer("ann", 7), List.of());
                            Order bob = new Order(new Customer("bob", 7), List.of());
                            assertThat(admittedOfTen(() -> orders.place(ann))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.place(bob))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.ofCustomer(ann))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.ofCustomer(ann))).isZero();
                            assertThat(ids(context, "Orders.ofCustomer"))
                                    .containsExactly("Customer[name=ann, number=7]");
                            assertThat(
                                            admittedOfTen(
                                                    () -> orders.tagged(Map.of("t", List.of("x")))))
                                    .isEqualTo(2);
                            assertThat(ids(context, "Orders.tagged")).containsExactly("x");
                        });
    }

    @Test
    void values_of_every_usual_type_are_told_apart_and_stay_the_same() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            UUID id = UUID.randomUUID();
                            for (Object value :
                                    List.of(
                                            1,
                                            true,
                                            'c',
                                            new BigDecimal("1.5"),
                                            TimeUnit.DAYS,
                                            id,
                                            Optional.of("present"),
                                            List.of(1, 2),
                                            new int[] {1, 2},
                                            new StringBuilder("text"))) {
                                assertThat(admittedOfTen(() -> orders.any(value)))
                                        .as("%s", value)
                                        .isEqualTo(2);
                            }
                            // Equal, though not the same.
                            assertThat(admittedOfTen(() -> orders.any(new int[] {1, 2}))).isZero();
                            assertThat(admittedOfTen(() -> orders.varargs("a", "b"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.varargs("a", "b"))).isZero();
                            assertThat(admittedOfTen(() -> orders.varargs("a"))).isEqualTo(2);
                            assertThat(ids(context, "Orders.any"))
                                    .contains("1", "true", "DAYS", id.toString(), "present");
                        });
    }

    @Test
    void arguments_can_be_numbered_and_mixed_with_other_parts() {
        callingFrom("203.0.113.7", Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.numbered("a", "z"))).isEqualTo(2);
                            assertThat(ids(context, "Orders.numbered")).containsExactly("a|z");
                            assertThat(admittedOfTen(() -> orders.mixed("t1"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.mixed("t2"))).isEqualTo(2);
                            assertThat(ids(context, "Orders.mixed"))
                                    .containsExactlyInAnyOrder("t1|203.0.113.7", "t2|203.0.113.7");
                        });
    }

    @Test
    void a_value_never_meets_an_equal_one_of_another_kind() {
        callingFrom("203.0.113.7", Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            // The first is counted by address, since it has no value.
                            assertThat(admittedOfTen(() -> orders.byName(" "))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byName("203.0.113.7")))
                                    .isEqualTo(2);
                            assertThat(context.getBean(Rules.class).find("Orders.byName").buckets())
                                    .isEqualTo(2);
                        });
    }

    @Test
    void request_principal_and_ip_can_be_named_beside_arguments() {
        callingFrom("203.0.113.7", Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.byWhom("x"))).isEqualTo(2);
                            assertThat(ids(context, "Orders.byWhom"))
                                    .containsExactly("x/ann/203.0.113.7/the request");
                        });
    }

    @Test
    void a_long_value_is_counted_by_its_hash_and_another_long_one_apart() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            String name = "n".repeat(200);
                            assertThat(admittedOfTen(() -> orders.byName(name))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byName(name + "x"))).isEqualTo(2);
                            assertThat(ids(context, "Orders.byName"))
                                    .hasSize(2)
                                    .allSatisfy(id -> assertThat(id).hasSizeLessThan(100));
                        });
    }

    @Test
    void a_missing_value_is_counted_by_address_and_warned_of_once(CapturedOutput output) {
        callingFrom("203.0.113.7", Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.byName(null))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byName(""))).isZero();
                            assertThat(admittedOfTen(() -> orders.place(null))).isEqualTo(2);
                            Order failing =
                                    new Order(null, List.of()) {
                                        @Override
                                        public Customer customer() {
                                            throw new IllegalStateException("no customer today");
                                        }
                                    };
                            assertThat(admittedOfTen(() -> orders.place(failing))).isZero();
                            assertThat(admittedOfTen(() -> orders.any(new Object()))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.any(new Object()))).isZero();
                            assertThat(ids(context, "Orders.byName"))
                                    .containsExactly("203.0.113.7");
                        });
        assertThat(output)
                .containsOnlyOnce(
                        "RL-EXPRESSION: key of @RateLimited on "
                                + Orders.class.getTypeName()
                                + ".byName(java.lang.String): the expression '#name' has no value")
                .containsOnlyOnce("'#order.customer.name' failed")
                .containsOnlyOnce("has a value of java.lang.Object, which has no toString");
    }

    @Test
    void without_an_address_missing_values_are_counted_as_unknown() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.byName(null))).isEqualTo(2);
                            assertThat(ids(context, "Orders.byName")).containsExactly("unknown");
                            assertThat(admittedOfTen(() -> orders.byName("null"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.byName("unknown"))).isEqualTo(2);
                        });
    }

    @Test
    void a_call_costs_what_its_arguments_say() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.import_(List.of(1, 2, 3))))
                                    .isEqualTo(3);
                            assertThat(admittedOfTen(() -> orders.import_(List.of(1)))).isOne();
                            assertThat(admittedOfTen(() -> orders.import_(List.of())))
                                    .as("0 exempts")
                                    .isEqualTo(10);
                            assertThat(
                                            context.getBean(Rules.class)
                                                    .find("Orders.import_")
                                                    .counters()
                                                    .of(Outcome.EXEMPT))
                                    .isEqualTo(10);
                            assertThat(admittedOfTen(() -> orders.weighted(2.1))).isEqualTo(3);
                        });
    }

    @Test
    void permits_that_are_no_number_are_1_and_warned_of_once(CapturedOutput output) {
        for (Object cost : new Object[] {null, -3, "many", Double.NaN, true}) {
            with(Orders.class)
                    .run(
                            context -> {
                                Orders orders = context.getBean(Orders.class);
                                assertThat(admittedOfTen(() -> orders.costing(cost)))
                                        .as("%s", cost)
                                        .isEqualTo(3);
                            });
        }
        assertThat(output.getAll().split("RL-EXPRESSION: permits of @RateLimited", -1)).hasSize(6);
    }

    @Test
    void a_computed_cost_above_the_capacity_is_refused_for_ever() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.costing(11))).isZero();
                            assertThat(admittedOfTen(() -> orders.costing(Long.MAX_VALUE)))
                                    .isZero();
                            assertThat(admittedOfTen(() -> orders.costing(3))).isOne();
                        });
    }

    @Test
    void names_are_those_of_the_declaration_that_is_annotated() {
        with(Renamed.class, Generic.class)
                .run(
                        context -> {
                            Renamed renamed = context.getBean(Renamed.class);
                            assertThat(admittedOfTen(() -> renamed.find("a", 1))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> renamed.find("b", 1))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> renamed.find("a", 2))).isZero();
                            Generic generic = context.getBean(Generic.class);
                            assertThat(admittedOfTen(() -> generic.save("a"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> generic.save("b"))).isEqualTo(2);
                        });
    }

    /** As with transactions where spring.aop.proxy-target-class is false. */
    @Test
    void behind_a_jdk_proxy_the_class_may_have_the_annotation() {
        with(Annotated.class)
                .withBean(DefaultAdvisorAutoProxyCreator.class, DefaultAdvisorAutoProxyCreator::new)
                .withBean(
                        Advisor.class,
                        () -> {
                            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
                            pointcut.setMappedName("look");
                            return new DefaultPointcutAdvisor(
                                    pointcut, (MethodInterceptor) call -> call.proceed());
                        })
                .run(
                        context -> {
                            Plain bean = context.getBean(Plain.class);
                            assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
                            assertThat(admittedOfTen(() -> bean.look("a"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> bean.look("b"))).isEqualTo(2);
                        });
    }

    @Test
    void an_interface_without_a_class_is_enough() {
        with(Proxies.class)
                .run(
                        context -> {
                            Finder finder = context.getBean(Finder.class);
                            assertThat(admittedOfTen(() -> finder.find("a", 1))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> finder.find("b", 1))).isEqualTo(2);
                        });
    }

    @Test
    void an_annotation_of_a_type_names_an_argument_of_all_its_methods() {
        with(PerTenant.class)
                .run(
                        context -> {
                            PerTenant bean = context.getBean(PerTenant.class);
                            bean.first("a", 1);
                            assertThat(admittedOfTen(() -> bean.second(5, "a"))).isOne();
                            assertThat(admittedOfTen(() -> bean.second(5, "b"))).isEqualTo(2);
                        });
    }

    @Test
    void annotations_of_one_method_each_have_their_own_expression_and_spend_together() {
        with(Orders.class)
                .run(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.both("a", "x"))).isEqualTo(2);
                            // The second refused, and so the first has 5 - 2 - 2 left.
                            assertThat(admittedOfTen(() -> orders.both("a", "y"))).isEqualTo(2);
                            assertThat(admittedOfTen(() -> orders.both("a", "z"))).isOne();
                        });
    }

    /** Every call comes from there. */
    private static ApplicationContextRunner callingFrom(String address, Class<?>... beans) {
        Caller caller =
                new Caller() {
                    @Override
                    public boolean isRequest() {
                        return true;
                    }

                    @Override
                    public String address() {
                        return address;
                    }

                    @Override
                    public Principal principal() {
                        return () -> "ann";
                    }

                    @Override
                    public Object request() {
                        return "the request";
                    }
                };
        return with(beans)
                .withBean(
                        CurrentCaller.class,
                        () ->
                                new CurrentCaller() {
                                    @Override
                                    public Caller get() {
                                        return caller;
                                    }
                                });
    }

    record Customer(String name, int number) {}

    static class Order {
        private final @Nullable Customer customer;
        final List<Integer> items;

        Order(@Nullable Customer customer, List<Integer> items) {
            this.customer = customer;
            this.items = items;
        }

        public @Nullable Customer customer() {
            return customer;
        }

        public @Nullable Customer getCustomer() {
            return customer();
        }
    }

    static class Orders {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#name")
        public void byName(@Nullable String name) {}

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#number")
        public void byNumber(int other, long number) {}

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#order.customer.name")
        public void place(@Nullable Order order) {}

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#order.customer")
        public void ofCustomer(Order order) {}

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#tags['t'][0]")
        public void tagged(Map<String, List<String>> tags) {}

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#value")
        public void any(Object value) {}

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#names")
        public void varargs(String... names) {}

        @RateLimited(
                requests = 2,
                unit = TimeUnit.MINUTES,
                key = {"#a0", "#p1"})
        public void numbered(String first, String second) {}

        @RateLimited(
                requests = 2,
                unit = TimeUnit.MINUTES,
                key = {" #tenant", "ip"})
        public void mixed(String tenant) {}

        @RateLimited(
                requests = 2,
                unit = TimeUnit.MINUTES,
                key = "#name + '/' + principal.name + '/' + ip + '/' + request")
        public void byWhom(String name) {}

        @RateLimited(requests = 10, unit = TimeUnit.MINUTES, permits = "#items.size()")
        public void import_(Collection<Integer> items) {}

        @RateLimited(requests = 10, unit = TimeUnit.MINUTES, permits = "#weight")
        public void weighted(double weight) {}

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES, permits = "#cost")
        public void costing(@Nullable Object cost) {}

        @RateLimited(requests = 5, unit = TimeUnit.HOURS, key = "#one")
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#other")
        public void both(String one, String other) {}
    }

    interface Finder {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#id")
        void find(String id, int page);
    }

    interface Plain {
        void look(String x);
    }

    static class Annotated implements Plain {
        @Override
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#id")
        public void look(String id) {}
    }

    static class Renamed implements Finder {
        @Override
        public void find(String identifier, int id) {}
    }

    abstract static class Base<T> {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#entity")
        public T save(T entity) {
            return entity;
        }
    }

    static class Generic extends Base<String> {
        @Override
        public String save(String what) {
            return super.save(what);
        }
    }

    @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "#tenant")
    static class PerTenant {
        public void first(String tenant, int other) {}

        public void second(int other, String tenant) {}
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
}
