package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import dev.ratelimit.spring.redis.RedisStore.LatencyListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Makes the calls of decisions, except to servers that are known not to answer. */
final class RedisCalls implements AutoCloseable {

    private static final ScriptReply NOT_ASKED =
            ScriptReply.failed("Redis has not answered lately", null);

    private final RedisScripts scripts;
    private final long timeoutNanos;
    private final LongSupplier nanoTime;
    private final StoreHealth health = new StoreHealth();
    private final Connector connector;
    private volatile LatencyListener latency = (nanos, answered) -> {};

    RedisCalls(RedisScripts scripts, Duration timeout, LongSupplier nanoTime) {
        this.scripts = scripts;
        this.timeoutNanos = timeout.toNanos();
        this.nanoTime = nanoTime;
        this.connector = new Connector(scripts, health);
    }

    void start() {
        connector.start();
    }

    boolean isAvailable() {
        return health.isAvailable();
    }

    void tell(LatencyListener listener) {
        latency = listener;
    }

    /**
     * Makes the calls of one decision, all at once.
     *
     * @param deadlineNanoTime as {@link #deadline} has told
     * @return what became of each, in the same order
     */
    List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime) {
        long startNanoTime = nanoTime.getAsLong();
        if (calls.size() == 1) {
            return List.of(run(calls.get(0), startNanoTime, deadlineNanoTime));
        }
        List<String> servers = calls.stream().map(scripts::server).toList();
        Set<String> asked =
                servers.stream()
                        .distinct()
                        .filter(server -> health.admits(server, startNanoTime))
                        .collect(Collectors.toSet());
        if (asked.isEmpty()) {
            return Collections.nCopies(calls.size(), NOT_ASKED);
        }
        List<ScriptCall> sent = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            if (asked.contains(servers.get(i))) {
                sent.add(calls.get(i));
            }
        }
        Iterator<ScriptReply> answers = send(sent, deadlineNanoTime).iterator();
        ScriptReply[] replies = new ScriptReply[calls.size()];
        for (int i = 0; i < replies.length; i++) {
            replies[i] = asked.contains(servers.get(i)) ? answers.next() : NOT_ASKED;
        }
        note(servers, replies, startNanoTime);
        return Arrays.asList(replies);
    }

    /**
     * Begins a decision.
     *
     * @return the {@link System#nanoTime} at which to give up
     */
    long deadline() {
        connector.awaitFirstAttempt();
        return System.nanoTime() + timeoutNanos;
    }

    private ScriptReply run(ScriptCall call, long startNanoTime, long deadlineNanoTime) {
        String server = scripts.server(call);
        if (!health.admits(server, startNanoTime)) {
            return NOT_ASKED;
        }
        ScriptReply reply = send(List.of(call), deadlineNanoTime).get(0);
        StoreUnavailableException failure = reply.failure();
        long endNanoTime = nanoTime.getAsLong();
        if (failure == null) {
            health.succeeded(server);
        } else {
            health.failed(server, failure, endNanoTime);
        }
        latency.took(endNanoTime - startNanoTime, failure == null);
        return reply;
    }

    private List<ScriptReply> send(List<ScriptCall> calls, long deadlineNanoTime) {
        try {
            return scripts.run(calls, deadlineNanoTime);
        } catch (StoreUnavailableException e) {
            return Collections.nCopies(calls.size(), ScriptReply.failed(e));
        } catch (RuntimeException e) {
            return Collections.nCopies(calls.size(), ScriptReply.failed("Redis failed: " + e, e));
        }
    }

    /** A server that has answered one call is there, whatever became of the others. */
    private void note(List<String> servers, ScriptReply[] replies, long startNanoTime) {
        long endNanoTime = nanoTime.getAsLong();
        Set<String> answering = new HashSet<>();
        for (int i = 0; i < replies.length; i++) {
            if (replies[i].failure() == null && answering.add(servers.get(i))) {
                health.succeeded(servers.get(i));
            }
        }
        boolean all = true;
        Set<String> silent = new HashSet<>();
        for (int i = 0; i < replies.length; i++) {
            StoreUnavailableException failure = replies[i].failure();
            if (failure == null || replies[i] == NOT_ASKED) {
                continue;
            }
            all = false;
            if (answering.contains(servers.get(i))) {
                health.undecided(failure, endNanoTime);
            } else if (silent.add(servers.get(i))) {
                health.failed(servers.get(i), failure, endNanoTime);
            }
        }
        latency.took(endNanoTime - startNanoTime, all);
    }

    @Override
    public void close() {
        connector.close();
        scripts.close();
    }
}
