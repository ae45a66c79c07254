package dev.ratelimit.spring.redis;

import static redis.embedded.core.ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.Properties;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.core.RedisServerBuilder;

/** A Redis server of a test's own, and of all that do not hurt it a common one. */
final class RedisServer implements AutoCloseable {

    final int port = freePort();
    private final String[] settings;
    private redis.embedded.RedisServer process;
    private String pid;

    /** Settings are lines of redis.conf. */
    RedisServer(String... settings) {
        this.settings = settings;
        start();
    }

    /** The server that embedded-redis brings, or the one that its system property names. */
    static ExecutableProvider executable() {
        return System.getProperty(PROPERTY_EXECUTABLE_LOCATION) == null
                ? ExecutableProvider.newJarResourceProvider()
                : ExecutableProvider.newSystemPropertyProvider();
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Started once, and stopped with this process. */
    static RedisServer common() {
        return Common.SERVER;
    }

    void start() {
        try {
            RedisServerBuilder builder =
                    redis.embedded.RedisServer.newRedisServer()
                            .executableProvider(executable())
                            .port(port)
                            .setting("bind 127.0.0.1")
                            .setting("save \"\"")
                            .setting("appendonly no");
            for (String setting : settings) {
                builder.setting(setting);
            }
            process = builder.build();
            process.start();
            pid = info("server").getProperty("process_id");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void stop() {
        try {
            process.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process at once, as a crash would. */
    void kill() {
        signal("KILL");
    }

    /** Sends a signal to the process. */
    void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, pid).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What the server says of itself. */
    Properties info(String section) {
        LettuceConnectionFactory factory = connect();
        try (RedisConnection connection = factory.getConnection()) {
            return connection.serverCommands().info(section);
        } finally {
            factory.destroy();
        }
    }

    LettuceConnectionFactory connect() {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    void flush() {
        LettuceConnectionFactory factory = connect();
        try (RedisConnection connection = factory.getConnection()) {
            connection.serverCommands().flushAll();
        } finally {
            factory.destroy();
        }
    }

    @Override
    public void close() {
        stop();
    }

    private static final class Common {

        static final RedisServer SERVER = new RedisServer();

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(SERVER::stop));
        }
    }
}
