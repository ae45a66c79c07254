package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs the script through the asynchronous commands of Lettuce, so that a decision ends at its
 * deadline whatever the timeout of the connection. What is late is cancelled, and then not sent
 * when the connection is there again.
 *
 * <p>The connection is one more of the application's own client. After a long outage Lettuce tries
 * only every 30 s to connect again; a new connection, unlike a reset of the one that the rest of
 * the application shares, takes nothing from anybody.
 */
final class LettuceScripts implements RedisScripts {

    private static final Log LOGGER = LogFactory.getLog(LettuceScripts.class);

    private static final long LOAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LettuceConnectionFactory factory;
    private final Script script;
    private volatile @Nullable Connection connection;
    private boolean closed;

    LettuceScripts(LettuceConnectionFactory factory, Script script) {
        this.factory = factory;
        this.script = script;
    }

    @Override
    public void connect(boolean anew) {
        Connection current = connection;
        if (current != null && load(current) && !anew) {
            return;
        }
        Connection opened = open();
        Connection needless = replace(current, opened);
        if (needless != null) {
            needless.close.run();
        }
        if (needless != opened) {
            load(opened);
        }
    }

    private Connection open() {
        AbstractRedisClient client = factory.getRequiredNativeClient();
        if (client instanceof RedisClusterClient cluster) {
            StatefulRedisClusterConnection<byte[], byte[]> opened =
                    cluster.connect(ByteArrayCodec.INSTANCE);
            return new Connection(opened.async(), cluster, () -> close(opened));
        }
        try {
            StatefulRedisConnection<byte[], byte[]> opened =
                    ((RedisClient) client).connect(ByteArrayCodec.INSTANCE);
            return new Connection(opened.async(), null, () -> close(opened));
        } catch (IllegalStateException e) {
            LOGGER.debug("The client alone does not know where to connect", e);
            return openShared();
        }
    }

    /** The application's client, when it is closed first, has closed its connections. */
    private static void close(StatefulConnection<byte[], byte[]> opened) {
        if (opened.isOpen()) {
            opened.close();
        }
    }

    /** Of a master and its replicas with fixed addresses only the factory knows the addresses. */
    @SuppressWarnings("unchecked")
    private Connection openShared() {
        RedisConnection shared = factory.getConnection();
        return new Connection(
                (RedisClusterAsyncCommands<byte[], byte[]>) shared.getNativeConnection(),
                null,
                shared::close);
    }

    /** Returns what is not needed any more: this one, if another attempt was faster. */
    private synchronized @Nullable Connection replace(
            @Nullable Connection before, Connection opened) {
        if (closed || connection != before) {
            return opened;
        }
        connection = opened;
        return before;
    }

    /**
     * Makes the script known; tells whether the server answers. Where it does not permit that, the
     * first call brings the script along.
     */
    private boolean load(Connection some) {
        Future<String> loaded = some.commands.scriptLoad(script.text());
        try {
            await(loaded, System.nanoTime() + LOAD_NANOS);
            return true;
        } catch (ExecutionException e) {
            LOGGER.debug("The script could not be loaded", e);
            return e.getCause() instanceof RedisCommandExecutionException;
        } catch (TimeoutException e) {
            return false;
        } finally {
            loaded.cancel(true);
        }
    }

    @Override
    public List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime) {
        RedisClusterAsyncCommands<byte[], byte[]> current = commands();
        List<Future<List<Object>>> futures = new ArrayList<>(calls.size());
        try {
            for (ScriptCall call : calls) {
                futures.add(
                        current.evalsha(
                                script.digest(),
                                ScriptOutputType.MULTI,
                                call.keys,
                                call.arguments));
            }
            List<ScriptReply> replies = new ArrayList<>(calls.size());
            for (int i = 0; i < calls.size(); i++) {
                replies.add(reply(current, calls.get(i), futures, i, deadlineNanoTime));
            }
            return replies;
        } finally {
            futures.forEach(future -> future.cancel(true));
        }
    }

    private RedisClusterAsyncCommands<byte[], byte[]> commands() {
        Connection current = connection;
        if (current == null) {
            throw new StoreUnavailableException("There is no connection to Redis yet", null);
        }
        return current.commands;
    }

    private ScriptReply reply(
            RedisClusterAsyncCommands<byte[], byte[]> current,
            ScriptCall call,
            List<Future<List<Object>>> futures,
            int i,
            long deadlineNanoTime) {
        try {
            try {
                return ScriptReply.of(await(futures.get(i), deadlineNanoTime));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof RedisNoScriptException)) {
                    throw e;
                }
            }
            futures.set(
                    i,
                    current.eval(script.text(), ScriptOutputType.MULTI, call.keys, call.arguments));
            return ScriptReply.of(await(futures.get(i), deadlineNanoTime));
        } catch (ExecutionException e) {
            return ScriptReply.failed("Redis failed: " + e.getCause(), e.getCause());
        } catch (CancellationException e) {
            return ScriptReply.failed("Redis failed: the connection was lost", e);
        } catch (TimeoutException e) {
            return ScriptReply.failed("Redis did not answer within ratelimit.redis.timeout", null);
        }
    }

    /** An interrupted thread waits as well: the wait is short, and the permits may be spent. */
    private static <T> T await(Future<T> future, long deadlineNanoTime)
            throws ExecutionException, TimeoutException {
        boolean interrupted = false;
        try {
            for (; ; ) {
                try {
                    long nanos = Math.max(deadlineNanoTime - System.nanoTime(), 0);
                    return future.get(nanos, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** In a cluster, the address of the node that has the keys. */
    @Override
    public String server(ScriptCall call) {
        Partitions nodes = nodes();
        RedisClusterNode node =
                nodes == null ? null : nodes.getPartitionBySlot(SlotHash.getSlot(call.keys[0]));
        return node == null ? ANY : address(node);
    }

    @Override
    public Set<String> servers() {
        Partitions nodes = nodes();
        return nodes == null
                ? Set.of(ANY)
                : nodes.stream()
                        .filter(node -> !node.hasNoSlots())
                        .map(LettuceScripts::address)
                        .collect(Collectors.toSet());
    }

    private @Nullable Partitions nodes() {
        Connection current = connection;
        return current == null || current.cluster == null ? null : current.cluster.getPartitions();
    }

    private static String address(RedisClusterNode node) {
        return node.getUri().getHost() + ':' + node.getUri().getPort();
    }

    @Override
    public synchronized void close() {
        closed = true;
        Connection current = connection;
        connection = null;
        if (current != null) {
            current.close.run();
        }
    }

    private static final class Connection {

        final RedisClusterAsyncCommands<byte[], byte[]> commands;

        /** Here only after it has found the nodes, so that nobody waits for that. */
        final @Nullable RedisClusterClient cluster;

        final Runnable close;

        Connection(
                RedisClusterAsyncCommands<byte[], byte[]> commands,
                @Nullable RedisClusterClient cluster,
                Runnable close) {
            this.commands = commands;
            this.cluster = cluster;
            this.close = close;
        }
    }
}
