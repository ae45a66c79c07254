package dev.ratelimit.spring.key;

import java.util.List;

/** Finds out who is counted under a rule. */
public interface RuleKey {

    /** The parts as they are written, such as {@code ip} or {@code header:X-Api-Key}. */
    List<String> parts();

    /** Who is counted for a call; there is always somebody. */
    Key resolve(Caller caller);

    /**
     * All who may be meant by a text: an {@link Key#id id} that was shown, or the value itself.
     *
     * @param text what an operator says
     * @return keys; none if the text has not as many values as the key has parts
     */
    List<Key> named(String text);
}
