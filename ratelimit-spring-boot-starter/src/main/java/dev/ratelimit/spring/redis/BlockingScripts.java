package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Runs the script through a client that blocks, such as Jedis. One call can take as long as the
 * client's own timeouts allow; the deadline is looked at between calls.
 */
final class BlockingScripts implements RedisScripts {

    private static final Log LOGGER = LogFactory.getLog(BlockingScripts.class);

    private final RedisConnectionFactory connections;
    private final Script script;

    BlockingScripts(RedisConnectionFactory connections, Script script, Duration timeout) {
        this.connections = connections;
        this.script = script;
        Duration own = readTimeout(connections);
        if (own != null && own.compareTo(timeout) > 0) {
            LOGGER.warn(
                    "RL-REDIS-TIMEOUT: A decision can take "
                            + own.toMillis()
                            + "ms instead of "
                            + timeout.toMillis()
                            + "ms, which is the read timeout of Jedis. Set spring.data.redis.timeout"
                            + " to ratelimit.redis.timeout, or use Lettuce");
        }
    }

    private static @Nullable Duration readTimeout(RedisConnectionFactory connections) {
        boolean jedis =
                ClassUtils.isPresent(
                        "redis.clients.jedis.Jedis", BlockingScripts.class.getClassLoader());
        return jedis && connections instanceof JedisConnectionFactory factory
                ? factory.getClientConfiguration().getReadTimeout()
                : null;
    }

    @Override
    public List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime) {
        return ask(
                connection ->
                        calls.stream()
                                .map(call -> run(connection, call, deadlineNanoTime))
                                .toList());
    }

    private ScriptReply run(RedisConnection connection, ScriptCall call, long deadlineNanoTime) {
        if (deadlineNanoTime - System.nanoTime() <= 0) {
            return ScriptReply.failed("Redis did not answer within ratelimit.redis.timeout", null);
        }
        try {
            return ScriptReply.of(run(connection, call));
        } catch (RuntimeException e) {
            return ScriptReply.failed("Redis failed: " + e.getMessage(), e);
        }
    }

    private List<Object> run(RedisConnection connection, ScriptCall call) {
        byte[][] keysAndArguments = call.keysAndArguments();
        int keys = call.keys.length;
        try {
            return required(
                    connection
                            .scriptingCommands()
                            .evalSha(script.digest(), ReturnType.MULTI, keys, keysAndArguments));
        } catch (RuntimeException e) {
            if (!isUnknownScript(e)) {
                throw e;
            }
            return required(
                    connection
                            .scriptingCommands()
                            .eval(script.text(), ReturnType.MULTI, keys, keysAndArguments));
        }
    }

    private static List<Object> required(@Nullable List<Object> reply) {
        return Objects.requireNonNull(reply, "reply");
    }

    private static boolean isUnknownScript(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains("NOSCRIPT")) {
                return true;
            }
        }
        return false;
    }

    /** Any failure of the client is one of the store. */
    private <T> T ask(Question<T> question) {
        try (RedisConnection connection = connections.getConnection()) {
            return question.ask(connection);
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StoreUnavailableException("Redis failed: " + e.getMessage(), e);
        }
    }

    @FunctionalInterface
    private interface Question<T> {

        T ask(RedisConnection connection);
    }

    /** Clients of this kind have a pool of connections, which opens them when they are needed. */
    @Override
    public void connect(boolean anew) {
        String unused = ask(connection -> load(connection));
    }

    /** A server that refuses has answered, too: then the first call brings the script along. */
    private String load(RedisConnection connection) {
        try {
            return String.valueOf(connection.scriptingCommands().scriptLoad(script.text()));
        } catch (RedisConnectionFailureException e) {
            throw e;
        } catch (RuntimeException e) {
            LOGGER.debug("The script could not be loaded", e);
            return script.digest();
        }
    }

    @Override
    public void close() {}
}
