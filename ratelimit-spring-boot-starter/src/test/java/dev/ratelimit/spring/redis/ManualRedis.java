package dev.ratelimit.spring.redis;

import dev.ratelimit.InMemoryStore;
import dev.ratelimit.RateLimitStore;
import dev.ratelimit.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A store on a real server, with the clock of a test in place of the server's. */
final class ManualRedis {

    private static final String CLOCK = "local time = redis.call('TIME')";
    private static final String NOW = "time[1] * 1000000 + time[2]";

    /** By the server's own clock, which goes on while the test's stands still. */
    private static final String EXPIRY = "ceil_div(micros, 1000)";

    static final LettuceConnectionFactory CONNECTIONS = RedisServer.common().connect();

    private ManualRedis() {}

    static RateLimitStore store(TimeSource timeSource) {
        return store(timeSource, newPrefix(), timeSource::epochNanos);
    }

    /** A store that repeats no refusal by itself. */
    static RateLimitStore askingStore(TimeSource timeSource, String prefix) {
        AtomicLong calls = new AtomicLong();
        return store(timeSource, prefix, () -> calls.addAndGet(Duration.ofHours(1).toNanos()));
    }

    static RateLimitStore store(TimeSource timeSource, String prefix, LongSupplier nanoTime) {
        LettuceScripts lettuce = new LettuceScripts(CONNECTIONS, script());
        RedisStore store =
                new RedisStore(
                        new Clocked(lettuce, timeSource),
                        prefix,
                        Duration.ofSeconds(10),
                        new InMemoryStore(timeSource),
                        nanoTime);
        store.start();
        return store;
    }

    static String newPrefix() {
        return "test-" + System.nanoTime() + ":";
    }

    private static Script script() {
        String text = Script.read();
        String replaced =
                text.replace(CLOCK, "")
                        .replace(NOW, "tonumber(ARGV[#ARGV])")
                        .replace(EXPIRY, "3600000");
        if (replaced.contains("'TIME'") || !replaced.contains("3600000")) {
            throw new AssertionError("The script reads the clock elsewhere");
        }
        return new Script(replaced);
    }

    private record Clocked(RedisScripts scripts, TimeSource timeSource) implements RedisScripts {

        @Override
        public List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime) {
            byte[] now = ScriptCall.bytes(timeSource.epochNanos() / 1_000);
            return scripts.run(
                    calls.stream().map(call -> with(call, now)).toList(), deadlineNanoTime);
        }

        private static ScriptCall with(ScriptCall call, byte[] now) {
            byte[][] arguments = Arrays.copyOf(call.arguments, call.arguments.length + 1);
            arguments[call.arguments.length] = now;
            return new ScriptCall(call.keys, arguments);
        }

        @Override
        public void connect(boolean anew) {
            scripts.connect(anew);
        }

        @Override
        public void close() {
            scripts.close();
        }
    }

    static boolean takes(dev.ratelimit.Limit limit) {
        try {
            new RedisLimit(limit);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
