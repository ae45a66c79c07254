package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.admittedOfTen;
import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A limit beside other annotations of the same method. */
class AdviceOrderTest {

    private static ApplicationContextRunner withEverything() {
        return with(Everything.class, Service.class);
    }

    @Test
    void a_refused_call_opens_no_transaction() {
        withEverything()
                .run(
                        context -> {
                            Service service = context.getBean(Service.class);
                            assertThat(admittedOfTen(service::transactional)).isEqualTo(2);
                            assertThat(context.getBean(Transactions.class).begun).hasValue(2);
                        });
    }

    @Test
    void an_answer_from_the_cache_is_a_call_and_a_refusal_is_not_cached() {
        withEverything()
                .run(
                        context -> {
                            Service service = context.getBean(Service.class);
                            assertThat(service.cached("a")).isEqualTo(1);
                            assertThat(service.cached("a")).isEqualTo(1);
                            assertThatThrownBy(() -> service.cached("a"))
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThat(service.calls()).hasValue(1);
                        });
    }

    @Test
    void a_refusal_is_not_retried_and_a_retried_call_is_one() {
        withEverything()
                .run(
                        context -> {
                            Service service = context.getBean(Service.class);
                            assertThatThrownBy(service::retried).hasMessage("failed");
                            assertThat(service.calls()).hasValue(3);
                            assertThatThrownBy(service::retried).hasMessage("failed");
                            assertThatThrownBy(service::retried)
                                    .isInstanceOf(RateLimitExceededException.class);
                            assertThat(service.calls()).hasValue(6);
                        });
    }

    @Test
    void an_asynchronous_call_is_refused_in_the_thread_of_its_caller() {
        withEverything()
                .run(
                        context -> {
                            Service service = context.getBean(Service.class);
                            assertThat(admittedOfTen(service::asynchronous)).isEqualTo(2);
                        });
    }

    @Test
    void the_order_can_be_changed_against_advice_that_has_one() {
        withEverything()
                .withPropertyValues("ratelimit.method.order=20")
                .run(
                        context -> {
                            Service service = context.getBean(Service.class);
                            assertThat(admittedOfTen(service::transactional)).isEqualTo(2);
                            // The transactions have order 10, and the cache 30.
                            assertThat(context.getBean(Transactions.class).begun).hasValue(10);
                            assertThatThrownBy(
                                            () -> {
                                                for (int i = 0; i < 3; i++) {
                                                    service.cached("a");
                                                }
                                            })
                                    .isInstanceOf(RateLimitExceededException.class);
                        });
        withEverything()
                .withPropertyValues("ratelimit.method.order=40")
                .run(
                        context -> {
                            Service service = context.getBean(Service.class);
                            for (int i = 0; i < 3; i++) {
                                assertThat(service.cached("a")).isEqualTo(1);
                            }
                        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 10)
    @EnableCaching(order = 30)
    @EnableResilientMethods
    @EnableAsync
    static class Everything {
        @Bean
        Transactions transactions() {
            return new Transactions();
        }

        @Bean
        ConcurrentMapCacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }
    }

    static class Transactions extends AbstractPlatformTransactionManager
            implements PlatformTransactionManager {
        final transient AtomicInteger begun = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    static class Service {
        private final AtomicInteger calls = new AtomicInteger();

        public AtomicInteger calls() {
            return calls;
        }

        @Transactional
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public void transactional() {}

        @Cacheable("numbers")
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public int cached(String name) {
            return calls.incrementAndGet();
        }

        @Retryable(maxRetries = 2, delay = 0)
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public void retried() {
            calls.incrementAndGet();
            throw new IllegalStateException("failed");
        }

        @Async
        @RateLimited(requests = 2, unit = TimeUnit.MINUTES)
        public void asynchronous() {}
    }
}
