package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is called in place of a refused call. */
class FallbackTest {

    @Test
    void a_refused_call_is_answered_by_the_fallback_with_its_arguments_and_the_refusal() {
        with(Quotes.class)
                .run(
                        context -> {
                            Quotes quotes = context.getBean(Quotes.class);
                            assertThat(quotes.quote("a", 1)).isEqualTo("quote a 1");
                            assertThat(quotes.quote("b", 2)).isEqualTo("cached b 2");
                            assertThat(quotes.plain(5)).isEqualTo(5);
                            assertThat(quotes.plain(5)).isEqualTo(-5);
                            assertThat(quotes.withException("x")).isEqualTo("x");
                            assertThat(quotes.withException("x"))
                                    .isEqualTo("x refused by Quotes.withException");
                            assertThat(quotes.varargs("a", "b")).isEqualTo(2);
                            assertThat(quotes.varargs("a", "b")).isEqualTo(-2);
                            Rule rule = context.getBean(Rules.class).find("Quotes.quote");
                            assertThat(rule.counters().of(Outcome.REJECTED)).isEqualTo(1);
                        });
    }

    @Test
    void what_a_fallback_throws_reaches_the_caller_as_it_is() {
        with(Quotes.class)
                .run(
                        context -> {
                            Quotes quotes = context.getBean(Quotes.class);
                            quotes.failing();
                            assertThatThrownBy(quotes::failing)
                                    .isExactlyInstanceOf(IOException.class)
                                    .hasMessage("not today");
                            quotes.rethrowing();
                            assertThatThrownBy(quotes::rethrowing)
                                    .isInstanceOf(RateLimitExceededException.class);
                        });
    }

    @Test
    void it_is_called_on_the_bean_itself_and_thus_not_limited() {
        with(Chained.class)
                .run(
                        context -> {
                            Chained bean = context.getBean(Chained.class);
                            assertThat(bean.first()).isEqualTo("first");
                            for (int i = 0; i < 5; i++) {
                                assertThat(bean.first()).isEqualTo("second of bean");
                            }
                            assertThat(bean.second()).isEqualTo("second of bean");
                            // Of the type's limit, the only call is spent.
                            assertThat(bean.second()).isEqualTo("third");
                            assertThat(bean.second()).isEqualTo("third");
                        });
    }

    @Test
    void it_may_be_inherited_and_generic() {
        with(Texts.class)
                .run(
                        context -> {
                            Texts texts = context.getBean(Texts.class);
                            assertThat(texts.save("a")).isEqualTo("saved a");
                            assertThat(texts.save("a")).isEqualTo("later a");
                            assertThat(texts.find(1L)).isEqualTo("found");
                            assertThat(texts.find(1L)).isEqualTo("gone");
                            assertThat(texts.inherited()).isEqualTo("inherited");
                            assertThat(texts.inherited()).isEqualTo("overridden fallback");
                        });
    }

    @Test
    void the_deciding_rule_says_which_fallback_it_is() {
        with(Two.class)
                .withPropertyValues(
                        "ratelimit.rules.search.requests=2", "ratelimit.rules.search.window=1h")
                .run(
                        context -> {
                            Two two = context.getBean(Two.class);
                            assertThat(two.call("a")).isEqualTo("called");
                            assertThat(two.call("a")).isEqualTo("by own limit");
                            assertThat(two.call("b")).isEqualTo("called");
                            // Now both refuse, and the longer wait decides.
                            assertThat(two.call("b")).isEqualTo("by search");
                            assertThat(two.call("c")).isEqualTo("by search");
                        });
    }

    @Test
    void one_rule_named_with_and_without_a_fallback_has_it() {
        with(Two.class)
                .withPropertyValues(
                        "ratelimit.rules.search.requests=2", "ratelimit.rules.search.window=1h")
                .run(
                        context -> {
                            Two two = context.getBean(Two.class);
                            two.twice("a");
                            two.twice("a");
                            assertThat(two.twice("a")).isEqualTo("by search");
                        });
    }

    @Test
    void behind_jdk_proxies_it_is_a_method_of_the_class_or_a_default_method() {
        with(JdkProxies.class)
                .run(
                        context -> {
                            for (String name : new String[] {"ofClass", "feignLike", "noTarget"}) {
                                Client client = (Client) context.getBean(name);
                                assertThat(AopUtils.isJdkDynamicProxy(client)).isTrue();
                                MethodContext.TIME.advance(Duration.ofMinutes(1));
                                assertThat(client.today("x")).as(name).isEqualTo("sunny x");
                                assertThat(client.today("x"))
                                        .as(name)
                                        .isEqualTo(name.equals("ofClass") ? "fog x" : "unknown x");
                                assertThat(client.count("a", "b")).as(name).isEqualTo(2);
                                assertThat(client.count("a", "b")).as(name).isEqualTo(-2);
                            }
                        });
    }

    @Test
    void a_repository_falls_back_to_a_default_method_of_its_interface() {
        with(Repositories.class)
                .run(
                        context -> {
                            Users users = context.getBean(Users.class);
                            assertThat(users.save("ann")).isEqualTo("ann");
                            assertThat(users.save("ann")).isEqualTo("rejected ann");
                        });
    }

    static class Quotes {
        private final String cached = "cached ";

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "cachedQuote")
        public String quote(String name, int number) {
            return "quote " + name + " " + number;
        }

        private String cachedQuote(String name, int number) {
            return cached + name + " " + number;
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "negative")
        int plain(int number) {
            return number;
        }

        Integer negative(int number) {
            return -number;
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "described")
        Object withException(String name) {
            return name;
        }

        protected String described(String name, Exception e) {
            return name + " refused by " + ((RateLimitExceededException) e).ruleName();
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "varargs")
        int varargs(String... names) {
            return names.length;
        }

        int varargs(String[] names, RateLimitExceededException e) {
            return -names.length;
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "failure")
        void failing() throws IOException {}

        private void failure() throws IOException {
            throw new IOException("not today");
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "rethrow")
        void rethrowing() {}

        private void rethrow(RateLimitExceededException e) {
            throw e;
        }
    }

    @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "third")
    static class Chained {
        private final String name = "bean";

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "second")
        public String first() {
            return "first";
        }

        public String second() {
            return "second of " + name;
        }

        public String third() {
            return "third";
        }
    }

    abstract static class Store<T, I> {
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "later")
        public T save(T value) {
            return value;
        }

        protected abstract T later(T value);

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "gone")
        public abstract T find(I id);

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "inFallback")
        public String inherited() {
            return "inherited";
        }

        String inFallback() {
            return "fallback";
        }
    }

    static class Texts extends Store<String, Long> {
        @Override
        public String save(String value) {
            return "saved " + value;
        }

        @Override
        protected String later(String value) {
            return "later " + value;
        }

        @Override
        public String find(Long id) {
            return "found";
        }

        String gone(Long id) {
            return "gone";
        }

        @Override
        String inFallback() {
            return "overridden " + super.inFallback();
        }
    }

    static class Two {
        @RateLimited(value = "search", fallback = "bySearch")
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, key = "#id", fallback = "byOwn")
        public String call(String id) {
            return "called";
        }

        @RateLimited("search")
        @RateLimited(value = "search", fallback = "bySearch")
        public String twice(String id) {
            return "called";
        }

        private String bySearch(String id) {
            return "by search";
        }

        private String byOwn(String id) {
            return "by own limit";
        }
    }

    interface Client {
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "unknown")
        String today(String place);

        default String unknown(String place) {
            return "unknown " + place;
        }

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "countedLater")
        int count(String... names);

        default int countedLater(String... names) {
            return -names.length;
        }
    }

    static class ClientOfClass implements Client {
        @Override
        public String today(String place) {
            return "sunny " + place;
        }

        @Override
        public int count(String... names) {
            return names.length;
        }

        @Override
        public String unknown(String place) {
            return "fog " + place;
        }
    }

    interface Repository<T> {
        T save(T value);
    }

    interface Users extends Repository<String> {
        @Override
        @RateLimited(requests = 1, unit = TimeUnit.MINUTES, fallback = "rejected")
        String save(String value);

        default String rejected(String value) {
            return "rejected " + value;
        }
    }

    static class SimpleRepository<T> {
        public T save(T value) {
            return value;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Repositories {
        /** A proxy whose target does not know its interface, as of a repository. */
        @Bean
        Users users() {
            SimpleRepository<String> target = new SimpleRepository<>();
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(target);
            factory.setInterfaces(Users.class);
            factory.addAdvice(
                    (MethodInterceptor)
                            invocation -> target.save((String) invocation.getArguments()[0]));
            return (Users) factory.getProxy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class JdkProxies {
        @Bean
        Client ofClass() {
            ProxyFactory factory = new ProxyFactory(new ClientOfClass());
            return (Client) factory.getProxy();
        }

        @Bean
        Client feignLike() {
            return (Client)
                    Proxy.newProxyInstance(
                            Client.class.getClassLoader(),
                            new Class<?>[] {Client.class},
                            (proxy, method, arguments) -> answer(method.getName(), arguments));
        }

        @Bean
        Client noTarget() {
            return ProxyFactory.getProxy(
                    Client.class,
                    (MethodInterceptor)
                            invocation ->
                                    answer(
                                            invocation.getMethod().getName(),
                                            invocation.getArguments()));
        }

        private static Object answer(String method, Object[] arguments) {
            return switch (method) {
                case "today" -> "sunny " + arguments[0];
                case "count" -> ((String[]) arguments[0]).length;
                default -> "no default methods here";
            };
        }
    }
}
