package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
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
 */
final class LettuceScripts implements RedisScripts {

    private static final Log LOGGER = LogFactory.getLog(LettuceScripts.class);

    private static final long LOAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LettuceConnectionFactory factory;
    private final Script script;
    private @Nullable RedisConnection connection;
    private boolean closed;
    private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> commands;
    private volatile @Nullable RedisClusterClient cluster;

    LettuceScripts(LettuceConnectionFactory factory, Script script) {
        this.factory = factory;
        this.script = script;
    }

    /** A shared connection is the same again, if it is still there. */
    @Override
    @SuppressWarnings("unchecked")
    public void connect() {
        RedisConnection opened = factory.getConnection();
        var shared = (RedisClusterAsyncCommands<byte[], byte[]>) opened.getNativeConnection();
        RedisConnection before = replace(opened, shared);
        if (before != null) {
            before.close();
        }
        load(shared);
    }

    private synchronized @Nullable RedisConnection replace(
            RedisConnection opened, RedisClusterAsyncCommands<byte[], byte[]> shared) {
        if (closed) {
            return opened;
        }
        RedisConnection before = connection;
        connection = opened;
        commands = shared;
        cluster = factory.getNativeClient() instanceof RedisClusterClient client ? client : null;
        return before;
    }

    /** Where that fails, or is not permitted, the first call brings the script along. */
    private void load(RedisClusterAsyncCommands<byte[], byte[]> shared) {
        Future<String> loaded = shared.scriptLoad(script.text());
        try {
            await(loaded, System.nanoTime() + LOAD_NANOS);
        } catch (ExecutionException | TimeoutException e) {
            LOGGER.debug("The script could not be loaded", e);
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
        RedisClusterAsyncCommands<byte[], byte[]> current = commands;
        if (current == null) {
            throw new StoreUnavailableException("There is no connection to Redis yet", null);
        }
        return current;
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
            return ScriptReply.failed("Redis did not answer in time", null);
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
        RedisClusterClient client = cluster;
        return client == null ? null : client.getPartitions();
    }

    private static String address(RedisClusterNode node) {
        return node.getUri().getHost() + ':' + node.getUri().getPort();
    }

    @Override
    public synchronized void close() {
        closed = true;
        commands = null;
        if (connection != null) {
            connection.close();
        }
    }
}
