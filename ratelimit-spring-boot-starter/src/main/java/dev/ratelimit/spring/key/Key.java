package dev.ratelimit.spring.key;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is counted under one rule: for each part of the rule's key a kind and a value. The kind keeps
 * values of different kinds apart, and the structure keeps apart what would be one text if joined.
 *
 * @param parts at least one
 * @param plan under which plan's limits; null for the rule's own
 */
public record Key(List<Part> parts, @Nullable String plan) {

    public Key {
        parts = List.copyOf(parts);
    }

    /** A caller who has no plan. */
    public Key(List<Part> parts) {
        this(parts, null);
    }

    /** The same caller with a plan, and so with buckets of its own. */
    public Key withPlan(String name) {
        return new Key(parts, name);
    }

    /** The values of as many parts as an id tells. */
    static List<String> values(String id) {
        List<String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (c == '|') {
                values.add(value.toString());
                value.setLength(0);
            } else {
                boolean escaped = c == '\\' && i + 1 < id.length();
                value.append(escaped ? id.charAt(++i) : c);
            }
        }
        values.add(value.toString());
        return values;
    }

    public static Key of(String kind, String value) {
        return new Key(List.of(new Part(kind, value)));
    }

    /** What operators see: the values, which are hashed where they are secret. */
    public String id() {
        if (parts.size() == 1) {
            return parts.get(0).value();
        }
        return String.join("|", parts.stream().map(Part::escapedValue).toList());
    }

    /**
     * One text for each key, with lengths, so that no two keys share it: the name in a shared
     * store.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (plan != null) {
            text.append("plan").append(plan.length()).append(':').append(plan);
        }
        for (Part part : parts) {
            text.append(part.kind().length()).append(':').append(part.kind());
            text.append(part.value().length()).append(':').append(part.value());
        }
        return text.toString();
    }

    /**
     * One part of a key.
     *
     * @param kind what the value is, such as {@code ip} or {@code header:X-Api-Key}
     * @param value who that is; a hash where the value is a secret
     */
    public record Part(String kind, String value) {

        private String escapedValue() {
            return value.replace("\\", "\\\\").replace("|", "\\|");
        }
    }
}
