package dev.ratelimit.spring.redis;

import dev.ratelimit.StoreUnavailableException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.NestedExceptionUtils;

/**
 * Knows which servers answer, and says so when that changes. Each has a breaker of its own: a node
 * of a cluster that is down costs its own keys a few timeouts, and the keys of others nothing.
 */
final class StoreHealth {

    private static final Log LOGGER = LogFactory.getLog(StoreHealth.class);

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<String, Breaker> breakers = new ConcurrentHashMap<>();
    private final AtomicBoolean everFailed = new AtomicBoolean();
    private final AtomicLong lastTold = new AtomicLong();

    /** Whether all servers answer. */
    boolean isAvailable() {
        for (Breaker breaker : breakers.values()) {
            if (breaker.isOpen()) {
                return false;
            }
        }
        return true;
    }

    /** Whether a caller may ask a server. */
    boolean admits(String server, long nanoTime) {
        return breaker(server).admits(nanoTime);
    }

    private Breaker breaker(String server) {
        return breakers.computeIfAbsent(server, added -> new Breaker());
    }

    /** Notes that a server has answered. */
    void succeeded(String server) {
        if (breaker(server).succeeded()) {
            tellAvailable(server, "answers again, and decides on rate limits");
        }
    }

    /** Notes that a server has not answered anything that one decision asked it. */
    void failed(String server, StoreUnavailableException e, long nanoTime) {
        Breaker breaker = breaker(server);
        if (breaker.failed(nanoTime)) {
            tellUnavailable(server, e);
        } else if (!breaker.isOpen()) {
            undecided(e, nanoTime);
        }
    }

    /** Notes that a rule was not decided on. */
    void undecided(StoreUnavailableException e, long nanoTime) {
        if (mayTell(nanoTime)) {
            LOGGER.warn(
                    "RL-STORE-FAILURE: Redis did not decide on a rate limit, and its on-failure was"
                            + " followed ("
                            + reason(e)
                            + "); this is logged at most once a minute");
        }
    }

    private boolean mayTell(long nanoTime) {
        if (everFailed.compareAndSet(false, true)) {
            lastTold.set(nanoTime);
            return true;
        }
        long last = lastTold.get();
        return nanoTime - last >= QUIET_NANOS && lastTold.compareAndSet(last, nanoTime);
    }

    /** Notes that there is no connection, without a caller who has to find out. */
    void notConnected(RuntimeException e, long nanoTime) {
        if (breaker(RedisScripts.ANY).open(nanoTime)) {
            tellUnavailable(RedisScripts.ANY, e);
        }
    }

    /**
     * Notes that there is a connection, so that the next callers find out who answers.
     *
     * @param servers who may be asked from now on
     */
    void connected(Set<String> servers, long nanoTime) {
        breakers.forEach(
                (server, breaker) -> {
                    breaker.probeAt(nanoTime);
                    boolean left = !servers.contains(server) && breakers.remove(server, breaker);
                    if (left && breaker.isOpen()) {
                        tellAvailable(
                                server,
                                server.equals(RedisScripts.ANY)
                                        ? "answers again"
                                        : "is not asked any more, since others have its keys");
                    }
                });
    }

    private static void tellAvailable(String server, String why) {
        LOGGER.warn("RL-STORE-AVAILABLE: " + name(server) + ' ' + why);
    }

    private static void tellUnavailable(String server, RuntimeException e) {
        LOGGER.warn(
                "RL-STORE-UNAVAILABLE: "
                        + name(server)
                        + " does not answer ("
                        + reason(e)
                        + "); until it does, on-failure of its rate limits is followed");
    }

    /**
     * With what is behind it: that the password is wrong is what the server said, not the client.
     */
    private static String reason(RuntimeException e) {
        String message = String.valueOf(e.getMessage());
        String cause = NestedExceptionUtils.getMostSpecificCause(e).getMessage();
        return cause == null || message.contains(cause) ? message : message + ": " + cause;
    }

    private static String name(String server) {
        return server.isEmpty() ? "Redis" : "Redis at " + server;
    }
}
