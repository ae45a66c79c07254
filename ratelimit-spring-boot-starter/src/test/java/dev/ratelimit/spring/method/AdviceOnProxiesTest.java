package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.admittedOfTen;
import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** The advice is in effect whatever kind of proxy a bean is or becomes. */
class AdviceOnProxiesTest {

    @Test
    void settings_for_aop_do_not_switch_it_off() {
        with(Plain.class)
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("spring.aop.auto=false", "spring.aop.proxy-target-class=false")
                .run(
                        context -> {
                            Plain bean = context.getBean(Plain.class);
                            assertThat(AopUtils.isCglibProxy(bean)).isTrue();
                            assertThat(admittedOfTen(bean::call)).isEqualTo(2);
                        });
    }

    @Test
    void neither_aspectj_nor_web_is_needed() {
        with(Plain.class)
                .withClassLoader(
                        new FilteredClassLoader(
                                "org.aspectj", "org.springframework.web", "jakarta.servlet"))
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            assertThat(admittedOfTen(context.getBean(Plain.class)::call))
                                    .isEqualTo(2);
                        });
    }

    @Test
    void it_is_outside_of_advice_that_a_bean_already_has() {
        with(Plain.class, CountedCalls.class)
                .run(
                        context -> {
                            Plain bean = context.getBean(Plain.class);
                            assertThat(((Advised) bean).getAdvisorCount()).isEqualTo(2);
                            AtomicInteger calls = context.getBean(AtomicInteger.class);
                            assertThat(admittedOfTen(bean::call)).isEqualTo(2);
                            assertThat(calls).hasValue(2);
                        });
    }

    @Test
    void it_finds_annotations_behind_and_in_front_of_a_jdk_proxy() {
        with(Implementation.class, OtherImplementation.class, CountedCalls.class)
                .run(
                        context -> {
                            Api bean = (Api) context.getBean(name(Implementation.class));
                            assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
                            AtomicInteger calls = context.getBean(AtomicInteger.class);
                            assertThat(admittedOfTen(bean::onInterface)).isEqualTo(3);
                            assertThat(admittedOfTen(bean::onImplementation)).isEqualTo(4);
                            assertThat(admittedOfTen(((Typed) bean)::onType)).isEqualTo(5);
                            assertThat(calls).hasValue(12);
                            assertThat(admittedOfTen(bean::nowhere)).isEqualTo(10);

                            Api other = (Api) context.getBean(name(OtherImplementation.class));
                            assertThat(other.getClass()).isNotEqualTo(bean.getClass());
                            assertThat(admittedOfTen(other::onInterface)).isZero();
                            assertThat(admittedOfTen(other::onImplementation)).isEqualTo(1);
                        });
    }

    private static String name(Class<?> type) {
        return "adviceOnProxiesTest." + type.getSimpleName();
    }

    @Test
    void an_asynchronous_method_is_refused_to_its_caller() {
        with(Asynchronous.class, AsyncConfiguration.class)
                .run(
                        context -> {
                            Asynchronous bean = context.getBean(Asynchronous.class);
                            assertThat(bean.call().get(5, TimeUnit.SECONDS))
                                    .isNotEqualTo(Thread.currentThread().getName());
                            assertThatThrownBy(bean::call)
                                    .isInstanceOf(RateLimitExceededException.class);
                        });
    }

    @Test
    void an_interface_without_a_class_is_advised() {
        with(Proxies.class)
                .run(
                        context -> {
                            SubClient ofFactory = (SubClient) context.getBean("ofFactory");
                            assertThat(admittedOfTen(ofFactory::own)).isEqualTo(2);
                            assertThat(admittedOfTen(ofFactory::inherited)).isEqualTo(3);

                            SubClient withoutTarget = (SubClient) context.getBean("withoutTarget");
                            assertThat(admittedOfTen(withoutTarget::own)).isZero();
                            assertThat(admittedOfTen(withoutTarget::inherited)).isZero();

                            Typed lambda = (Typed) context.getBean("lambda");
                            assertThat(admittedOfTen(lambda::onType)).isEqualTo(5);
                        });
    }

    @Test
    void an_http_client_is_advised() {
        with(HttpClients.class)
                .run(
                        context -> {
                            Weather weather = context.getBean(Weather.class);
                            assertThat(weather.today()).isEqualTo("sunny");
                            assertThat(admittedOfTen(weather::today)).isEqualTo(1);
                        });
    }

    @Test
    void a_repository_is_advised_whose_target_does_not_know_its_interface() {
        with(Repositories.class)
                .run(
                        context -> {
                            Users users = context.getBean(Users.class);
                            assertThat(admittedOfTen(() -> users.save("x"))).isEqualTo(2);
                            assertThat(admittedOfTen(users::findAll)).isEqualTo(3);
                            Orders orders = context.getBean(Orders.class);
                            assertThat(admittedOfTen(() -> orders.save("x"))).isEqualTo(10);
                            assertThat(admittedOfTen(orders::findAll)).isEqualTo(10);
                        });
    }

    @Test
    void a_call_is_charged_once_through_a_scoped_proxy_and_through_a_bean_with_two_names() {
        with(Scoped.class, OneProxyTwice.class)
                .run(
                        context -> {
                            assertThat(admittedOfTen(context.getBean(Scoped.class)::call))
                                    .isEqualTo(2);
                            Typed twice = (Typed) context.getBean("first");
                            assertThat(twice).isSameAs(context.getBean("second"));
                            assertThat(admittedOfTen(twice::onType)).isEqualTo(5);
                        });
    }

    @Test
    void a_bean_that_is_called_during_the_start_is_limited_already() {
        with(Plain.class, CallsEarly.class)
                .run(
                        context -> {
                            assertThat(admittedOfTen(context.getBean(Plain.class)::call)).isZero();
                            assertThat(context.getBean(Rules.class).all())
                                    .extracting(Rule::name)
                                    .containsExactly("Plain.call");
                        });
    }

    public static class Plain {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public void call() {}
    }

    interface Api {
        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        void onInterface();

        void onImplementation();

        void nowhere();
    }

    @RateLimited(requests = 5, unit = TimeUnit.MINUTES)
    @FunctionalInterface
    interface Typed {
        void onType();
    }

    @Component("adviceOnProxiesTest.Implementation")
    static class Implementation implements Api, Typed {
        @Override
        public void onInterface() {}

        @Override
        @RateLimited(requests = 4, unit = TimeUnit.MINUTES)
        public void onImplementation() {}

        @Override
        public void nowhere() {}

        @Override
        public void onType() {}
    }

    @Component("adviceOnProxiesTest.OtherImplementation")
    static class OtherImplementation implements Api {
        @Override
        public void onInterface() {}

        @Override
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public void onImplementation() {}

        @Override
        public void nowhere() {}
    }

    /** Advises some methods in the way that transactions are. */
    @Configuration(proxyBeanMethods = false)
    static class CountedCalls {
        @Bean
        static DefaultAdvisorAutoProxyCreator autoProxyCreator() {
            return new DefaultAdvisorAutoProxyCreator();
        }

        @Bean
        static AtomicInteger calls() {
            return new AtomicInteger();
        }

        @Bean
        static DefaultPointcutAdvisor advisor(AtomicInteger calls) {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedNames("onInterface", "onImplementation", "onType", "call");
            MethodInterceptor count =
                    invocation -> {
                        calls.incrementAndGet();
                        return invocation.proceed();
                    };
            return new DefaultPointcutAdvisor(pointcut, count);
        }
    }

    static class Asynchronous {
        @Async
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncConfiguration {}

    interface Client {
        void inherited();
    }

    @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
    interface SubClient extends Client {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        void own();
    }

    @Configuration(proxyBeanMethods = false)
    static class Proxies {
        @Bean
        FactoryBean<SubClient> ofFactory() {
            return new FactoryBean<>() {
                @Override
                public SubClient getObject() {
                    return (SubClient)
                            Proxy.newProxyInstance(
                                    SubClient.class.getClassLoader(),
                                    new Class<?>[] {SubClient.class},
                                    (proxy, method, arguments) -> null);
                }

                @Override
                public Class<?> getObjectType() {
                    return SubClient.class;
                }
            };
        }

        @Bean
        SubClient withoutTarget() {
            return ProxyFactory.getProxy(SubClient.class, (MethodInterceptor) invocation -> null);
        }

        @Bean
        Typed lambda() {
            return () -> {};
        }
    }

    interface Weather {
        @GetExchange("/today")
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        String today();
    }

    @Configuration(proxyBeanMethods = false)
    static class HttpClients {
        @Bean
        Weather weather() {
            RestClient client =
                    RestClient.builder()
                            .baseUrl("http://weather.example")
                            .requestFactory(
                                    (uri, method) -> {
                                        MockClientHttpRequest request =
                                                new MockClientHttpRequest(method, uri);
                                        request.setResponse(
                                                new MockClientHttpResponse(
                                                        "sunny".getBytes(), HttpStatus.OK));
                                        return request;
                                    })
                            .build();
            return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
                    .build()
                    .createClient(Weather.class);
        }
    }

    interface Repository<T> {
        T save(T value);

        int findAll();
    }

    static class SimpleRepository<T> implements Repository<T> {
        @Override
        public T save(T value) {
            return value;
        }

        @Override
        public int findAll() {
            return 0;
        }
    }

    @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
    interface Users extends Repository<String> {
        @Override
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        String save(String value);
    }

    interface Orders extends Repository<String> {}

    @Configuration(proxyBeanMethods = false)
    static class Repositories {
        @Bean
        Users users() {
            return repository(Users.class);
        }

        @Bean
        Orders orders() {
            return repository(Orders.class);
        }

        private static <T> T repository(Class<T> type) {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new SimpleRepository<>());
            factory.setInterfaces(type);
            // The target is no Users: its methods are called by their own interface.
            factory.addAdvice(
                    (MethodInterceptor)
                            invocation ->
                                    AopUtils.invokeJoinpointUsingReflection(
                                            invocation.getThis(),
                                            Repository.class.getMethod(
                                                    invocation.getMethod().getName(),
                                                    invocation.getArguments().length == 0
                                                            ? new Class<?>[0]
                                                            : new Class<?>[] {Object.class}),
                                            invocation.getArguments()));
            return type.cast(factory.getProxy());
        }
    }

    @Component
    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OneProxyTwice {
        private final Typed proxy =
                ProxyFactory.getProxy(Typed.class, (MethodInterceptor) invocation -> null);

        @Bean
        Typed first() {
            return proxy;
        }

        @Bean
        Typed second() {
            return proxy;
        }
    }

    static class CallsEarly implements InitializingBean {
        private final Plain plain;

        CallsEarly(Plain plain) {
            this.plain = plain;
        }

        @Override
        public void afterPropertiesSet() {
            plain.call();
            plain.call();
        }
    }
}
