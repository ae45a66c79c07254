package dev.ratelimit.conformance;

import dev.ratelimit.LimitConfig;
import dev.ratelimit.LimitStrategy;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Limits of all sizes that a strategy counts exactly. */
public final class LimitShapes {

    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LEAP_YEAR = Duration.ofDays(366);

    private static final List<LimitConfig> FOR_EVERY_STRATEGY =
            List.of(
                    LimitConfig.of(1, MILLISECOND),
                    LimitConfig.of(1, SECOND),
                    LimitConfig.of(1, LEAP_YEAR),
                    LimitConfig.of(2, Duration.ofNanos(1_000_001)),
                    LimitConfig.of(3, MINUTE),
                    LimitConfig.of(5, Duration.ofDays(30)),
                    LimitConfig.of(7, SECOND),
                    LimitConfig.of(100, MINUTE),
                    LimitConfig.of(1_000, HOUR));

    private static final List<LimitConfig> LARGE =
            List.of(
                    LimitConfig.of(1_000_000, DAY),
                    LimitConfig.of(999_999_937, SECOND),
                    LimitConfig.of(1_000_000_000, MILLISECOND),
                    LimitConfig.of(1_000_000_000, SECOND),
                    LimitConfig.of(1_000_000_000, LEAP_YEAR));

    private static final List<LimitConfig> WITH_BURST =
            List.of(
                    LimitConfig.of(1, HOUR).withBurst(5),
                    LimitConfig.of(7, SECOND).withBurst(1000),
                    LimitConfig.of(10, SECOND).withBurst(1),
                    LimitConfig.of(10, SECOND).withBurst(3),
                    LimitConfig.of(3, MINUTE).withBurst(10_000_000),
                    LimitConfig.of(999_999_937, SECOND).withBurst(1),
                    LimitConfig.of(1_000_000_000, SECOND).withBurst(7));

    private LimitShapes() {}

    /** The shapes to try a strategy with. */
    public static Stream<LimitConfig> of(LimitStrategy strategy) {
        return switch (strategy) {
            case SLIDING_LOG -> FOR_EVERY_STRATEGY.stream();
            case TOKEN_BUCKET ->
                    Stream.of(FOR_EVERY_STRATEGY, LARGE, WITH_BURST).flatMap(List::stream);
            case FIXED_WINDOW, SLIDING_WINDOW ->
                    Stream.of(FOR_EVERY_STRATEGY, LARGE).flatMap(List::stream);
        };
    }
}
