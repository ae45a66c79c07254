package dev.ratelimit.spring.method;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.TimeSource;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.autoconfigure.RateLimitAutoConfiguration;
import dev.ratelimit.spring.autoconfigure.RateLimitMethodAutoConfiguration;
import java.time.Instant;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application without web, whose time stands still. */
final class MethodContext {

    static final ManualTimeSource TIME =
            new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));

    private MethodContext() {}

    static ApplicationContextRunner with(Class<?>... beans) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(
                                RateLimitAutoConfiguration.class,
                                RateLimitMethodAutoConfiguration.class))
                .withBean(TimeSource.class, () -> TIME)
                .withUserConfiguration(beans);
    }

    /** How many of ten calls are admitted. */
    static int admittedOfTen(Runnable call) {
        int admitted = 0;
        for (int i = 0; i < 10; i++) {
            try {
                call.run();
                admitted++;
            } catch (RateLimitExceededException e) {
                // counted by not being counted
            }
        }
        return admitted;
    }

    /** The same of calls that return something. */
    static int admittedOfTen(Supplier<?> call) {
        return admittedOfTen((Runnable) call::get);
    }
}
