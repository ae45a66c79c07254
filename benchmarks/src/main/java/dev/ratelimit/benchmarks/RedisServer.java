package dev.ratelimit.benchmarks;

import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis server of this JVM, which keeps nothing on disk, and the one connection to it that all
 * threads share. It is started when it is first asked for, and stopped with the JVM: after a
 * benchmark, the profiler still reads its counters.
 */
final class RedisServer {

    /** Names an executable other than the one that the library brings along. */
    private static final String EXECUTABLE = "benchmarks.redis-server";

    static final long TIMEOUT_SECONDS = 5;

    private final LettuceConnectionFactory connections;
    private final RedisConnection connection;

    private RedisServer() {
        try {
            int port = freePort();
            var builder =
                    redis.embedded.RedisServer.newRedisServer()
                            .port(port)
                            .bind("127.0.0.1")
                            .setting("save \"\"")
                            .setting("appendonly no");
            String executable = System.getProperty(EXECUTABLE);
            if (executable != null) {
                builder.executableProvider(() -> new File(executable));
            }
            redis.embedded.RedisServer process = builder.build();
            process.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process)));
            connections =
                    new LettuceConnectionFactory(
                            new RedisStandaloneConfiguration("127.0.0.1", port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.afterPropertiesSet();
        connections.start();
        connection = connections.getConnection();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void stop(redis.embedded.RedisServer process) {
        try {
            process.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RedisServer get() {
        return Started.SERVER;
    }

    LettuceConnectionFactory connections() {
        return connections;
    }

    /** The commands of the shared connection. */
    @SuppressWarnings("unchecked")
    RedisAsyncCommands<byte[], byte[]> commands() {
        return (RedisAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
    }

    static <T> T await(Future<T> reply) {
        try {
            return reply.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    void flush() {
        connection.serverCommands().flushAll();
    }

    Properties info(String section) {
        return connection.serverCommands().info(section);
    }

    private static final class Started {

        static final RedisServer SERVER = new RedisServer();
    }
}
