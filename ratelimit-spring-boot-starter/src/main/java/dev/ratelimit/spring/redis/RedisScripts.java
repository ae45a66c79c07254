package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/** Runs the script on a Redis server. Safe for use by many threads. */
interface RedisScripts extends AutoCloseable {

    /** The server of all calls that are not told apart. */
    String ANY = "";

    /** Makes what suits the application's connections. */
    static RedisScripts over(RedisConnectionFactory connections, Script script, Duration timeout) {
        ClassLoader loader = RedisScripts.class.getClassLoader();
        if (ClassUtils.isPresent("io.lettuce.core.RedisClient", loader)
                && connections instanceof LettuceConnectionFactory lettuce) {
            return new LettuceScripts(lettuce, script);
        }
        return new BlockingScripts(connections, script, timeout);
    }

    /**
     * Runs the script for several calls, which may be of different hash slots. A call is sent once,
     * and a second time only if the server answers that it does not know the script.
     *
     * @param calls at least one
     * @param deadlineNanoTime the {@link System#nanoTime} at which to give up
     * @return what became of each, in the same order
     * @throws StoreUnavailableException if none was sent
     */
    List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime);

    /**
     * Tells which server answers a call, as far as that is known.
     *
     * @return an address, or {@link #ANY} where calls are not told apart
     */
    default String server(ScriptCall call) {
        return ANY;
    }

    /** All that {@link #server} can return now. */
    default Set<String> servers() {
        return Set.of(ANY);
    }

    /**
     * Opens the connection, or another one in its place, and makes the script known. Only the
     * background does this: it may take long. Several threads can do it at once.
     *
     * @param anew whether even a connection that answers is replaced
     * @throws RuntimeException if there is no connection
     */
    void connect(boolean anew);

    @Override
    void close();
}
