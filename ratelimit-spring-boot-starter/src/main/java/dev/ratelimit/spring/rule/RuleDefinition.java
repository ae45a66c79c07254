package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.key.Caller;
import dev.ratelimit.spring.key.KeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A rule as it was declared, with each value valid by itself.
 *
 * @param name its name, unique
 * @param displayName what clients see; {@code default} for an annotation without a name
 * @param source the kind of declaration
 * @param where the declaration, for messages: {@code ratelimit.rules.search}, or a method
 * @param requests which requests it is for
 * @param key the parts of the key as they are written; none for the default
 * @param keyExpressions what finds the values of those parts that are expressions
 * @param permits what a call costs
 * @param exemptions a call is not counted if one of these holds; they never fail
 * @param mode what becomes of its decisions
 * @param onFailure what becomes of calls while the store does not answer; null for the default
 * @param plans limits that some callers have instead; null if there are none
 * @param limits at least one
 */
public record RuleDefinition(
        String name,
        String displayName,
        RuleSource source,
        String where,
        RuleRequests requests,
        List<String> key,
        Map<String, KeyValue> keyExpressions,
        Permits permits,
        List<Predicate<Caller>> exemptions,
        RuleMode mode,
        @Nullable OnFailure onFailure,
        @Nullable RulePlans plans,
        List<RuleLimit> limits) {

    public RuleDefinition {
        key = List.copyOf(key);
        keyExpressions = Map.copyOf(keyExpressions);
        exemptions = List.copyOf(exemptions);
        limits = List.copyOf(limits);
    }

    /** Describes a rule that has nothing but a name yet. */
    public static Builder builder(String name, RuleSource source, String where) {
        return new Builder(name, source, where);
    }

    /**
     * Where a part of this is declared, for messages.
     *
     * @param part such as {@code paths}
     * @return {@code ratelimit.rules.search.paths}, or {@code paths of @RateLimited on ...}
     */
    public String where(String part) {
        return source.where(where, part);
    }

    /** A rule that is being described. What is not said is as the components' defaults. */
    public static final class Builder {

        private final String name;
        private final RuleSource source;
        private final String where;
        private String displayName;
        private RuleRequests requests = RuleRequests.NONE;
        private List<String> key = List.of();
        private Map<String, KeyValue> keyExpressions = Map.of();
        private Permits permits = Permits.ONE;
        private final List<Predicate<Caller>> exemptions = new ArrayList<>();
        private RuleMode mode = RuleMode.ENFORCE;
        private @Nullable OnFailure onFailure;
        private @Nullable RulePlans plans;
        private final List<RuleLimit> limits = new ArrayList<>();

        private Builder(String name, RuleSource source, String where) {
            this.name = name;
            this.source = source;
            this.where = where;
            this.displayName = name;
        }

        public Builder displayName(String shown) {
            displayName = shown;
            return this;
        }

        public Builder requests(RuleRequests some) {
            requests = some;
            return this;
        }

        public Builder key(List<String> parts) {
            key = parts;
            return this;
        }

        public Builder keyExpressions(Map<String, KeyValue> values) {
            keyExpressions = values;
            return this;
        }

        public Builder permits(Permits cost) {
            permits = cost;
            return this;
        }

        public Builder exempt(Predicate<Caller> exemption) {
            exemptions.add(exemption);
            return this;
        }

        public Builder mode(RuleMode other) {
            mode = other;
            return this;
        }

        public Builder onFailure(@Nullable OnFailure other) {
            onFailure = other;
            return this;
        }

        public Builder plans(@Nullable RulePlans some) {
            plans = some;
            return this;
        }

        public Builder limit(RuleLimit limit) {
            limits.add(limit);
            return this;
        }

        public RuleDefinition build() {
            return new RuleDefinition(
                    name,
                    displayName,
                    source,
                    where,
                    requests,
                    key,
                    keyExpressions,
                    permits,
                    exemptions,
                    mode,
                    onFailure,
                    plans,
                    limits);
        }
    }
}
