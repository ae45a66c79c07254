package dev.ratelimit.spring.key;

import java.util.List;

/** Finds out who is counted under a rule. */
public interface RuleKey {

    /** The parts as they are written, such as {@code ip} or {@code header:X-Api-Key}. */
    List<String> parts();

    /** Who is counted for a call; there is always somebody. */
    Key resolve(Caller caller);
}
