package dev.ratelimit.spring.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The script on the common server, as over a cluster in which the rule "a" has a node of its own,
 * the rule "b" another one, and so on. Each can be made not to answer.
 */
final class UnreliableScripts implements RedisScripts {

    static final String PREFIX = "unreliable:";

    private final RedisScripts scripts =
            new LettuceScripts(ManualRedis.CONNECTIONS, new Script(Script.read()));
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private final Set<String> mute = ConcurrentHashMap.newKeySet();

    private volatile boolean refusesRefunds;

    /** How many calls were sent to nodes that are down. */
    final AtomicInteger inVain = new AtomicInteger();

    /** How many round trips there were. */
    final AtomicInteger trips = new AtomicInteger();

    /** Lets calls of these rules fail without effect. */
    void down(String... rules) {
        down.addAll(Set.of(rules));
    }

    /** Lets calls of these rules have their effect, and loses the answers. */
    void mute(String... rules) {
        mute.addAll(Set.of(rules));
    }

    /** Lets all refunds fail without effect. */
    void refuseRefunds() {
        refusesRefunds = true;
    }

    void heal() {
        refusesRefunds = false;
        down.clear();
        mute.clear();
    }

    @Override
    public List<ScriptReply> run(List<ScriptCall> calls, long deadlineNanoTime) {
        trips.incrementAndGet();
        List<ScriptReply> replies = new ArrayList<>();
        for (ScriptCall call : calls) {
            ScriptReply lost = ScriptReply.failed("No answer from " + server(call), null);
            if (down.contains(server(call)) || (refusesRefunds && isRefund(call))) {
                inVain.incrementAndGet();
                replies.add(lost);
            } else {
                ScriptReply reply = scripts.run(List.of(call), deadlineNanoTime).get(0);
                replies.add(mute.contains(server(call)) ? lost : reply);
            }
        }
        return replies;
    }

    static boolean isRefund(ScriptCall call) {
        return new String(call.arguments[0], StandardCharsets.UTF_8).equals("refund");
    }

    @Override
    public String server(ScriptCall call) {
        String key = new String(call.keys[0], StandardCharsets.UTF_8);
        int rule = PREFIX.length() + 1;
        return key.substring(rule, key.indexOf(':', rule));
    }

    @Override
    public Set<String> servers() {
        return Set.of("a", "b", "c");
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
