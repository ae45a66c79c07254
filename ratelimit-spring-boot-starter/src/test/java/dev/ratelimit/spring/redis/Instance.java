package dev.ratelimit.spring.redis;

import dev.ratelimit.Decision;
import dev.ratelimit.spring.RateLimiters;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import dev.ratelimit.spring.rule.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** One instance of an application that limits through Redis. */
final class Instance implements AutoCloseable {

    final ConfigurableApplicationContext context;

    private Instance(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Has a rule "search" of 10 per day, and others that the arguments add. */
    static Instance start(int redisPort, String... arguments) {
        return start(WebApplicationType.NONE, redisPort, List.of(), arguments);
    }

    /** With more beans. */
    static Instance start(int redisPort, Class<?> configuration, String... arguments) {
        return start(WebApplicationType.NONE, redisPort, List.of(configuration), arguments);
    }

    static Instance startWeb(int redisPort, String... arguments) {
        return start(WebApplicationType.SERVLET, redisPort, List.of(), arguments);
    }

    private static Instance start(
            WebApplicationType type,
            int redisPort,
            List<Class<?>> configurations,
            String... arguments) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--server.port=0",
                                "--spring.main.banner-mode=off",
                                "--logging.level.root=warn",
                                "--spring.data.redis.port=" + redisPort,
                                "--spring.data.redis.host=127.0.0.1",
                                "--management.endpoints.web.exposure.include=ratelimits",
                                "--ratelimit.store=redis",
                                "--ratelimit.rules.search.key=global",
                                "--ratelimit.rules.search.requests=10",
                                "--ratelimit.rules.search.window=1d"));
        for (String argument : arguments) {
            String name = argument.substring(0, argument.indexOf('=') + 1);
            all.removeIf(other -> other.startsWith(name));
            all.add(argument);
        }
        return new Instance(
                new SpringApplicationBuilder(Application.class)
                        .sources(configurations.toArray(Class<?>[]::new))
                        .web(type)
                        .logStartupInfo(false)
                        .registerShutdownHook(false)
                        .run(all.toArray(String[]::new)));
    }

    Decision call(String rule) {
        return context.getBean(RateLimiters.class).get(rule).tryAcquire("key");
    }

    boolean allowed() {
        return call("search").allowed();
    }

    Rule rule(String name) {
        Rule rule = context.getBean(Rules.class).find(name);
        if (rule == null) {
            throw new AssertionError(name);
        }
        return rule;
    }

    RedisStore store() {
        return context.getBean(RedisStore.class);
    }

    /** Whether a call is decided by Redis, rather than by on-failure. */
    boolean decides() {
        long before = rule("search").counters().of(Outcome.STORE_FAILURE);
        call("search");
        return rule("search").counters().of(Outcome.STORE_FAILURE) == before;
    }

    /** Waits until something is so, and fails if it does not become so. */
    static void await(Duration most, BooleanSupplier condition) {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("It did not become so within " + most);
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
