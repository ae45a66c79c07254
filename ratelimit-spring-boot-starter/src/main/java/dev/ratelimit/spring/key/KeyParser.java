package dev.ratelimit.spring.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Reads the keys of rules as they are written in properties and annotations. */
public final class KeyParser implements RuleKeys {

    /** What a header or a cookie can be called. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final SecretHash hash;
    private final int ipv6Prefix;
    private final Predicate<String> isKeyResolver;

    /**
     * Makes a parser.
     *
     * @param hash makes secret values unreadable
     * @param ipv6Prefix how many leading bits of an IPv6 address are one client
     * @param isKeyResolver tells whether there is a {@link
     *     dev.ratelimit.spring.RateLimitKeyResolver} bean of that name
     */
    public KeyParser(SecretHash hash, int ipv6Prefix, Predicate<String> isKeyResolver) {
        this.hash = hash;
        this.ipv6Prefix = ipv6Prefix;
        this.isKeyResolver = isKeyResolver;
    }

    @Override
    public RuleKey parse(List<String> parts, Map<String, KeyValue> expressions) {
        List<KeyPart> read = parts.stream().map(part -> part(part, expressions)).toList();
        return switch (read.size()) {
            case 0 -> new DefaultKey(part("ip"), part("global"));
            case 1 -> new SingleKey(read.get(0));
            default -> new CompositeKey(read);
        };
    }

    @Override
    public PlanSelector parsePlan(String selector) {
        KeyPart part = part(selector);
        if (!part.canTellPlan()) {
            throw new IllegalArgumentException(
                    "The plan '"
                            + selector
                            + "' is none of bean:NAME, user, header:NAME; clients could choose"
                            + " their plans themselves.");
        }
        return part::planOf;
    }

    private KeyPart part(String written, Map<String, KeyValue> expressions) {
        KeyValue expression = expressions.get(written);
        return expression == null
                ? part(written)
                : new KeyPart(written.strip(), expression, hash, ipv6Prefix);
    }

    private KeyPart part(String written) {
        String text = written.strip();
        int colon = text.indexOf(':');
        String word = colon < 0 ? text : text.substring(0, colon);
        String name = colon < 0 ? "" : text.substring(colon + 1).strip();
        KeyKind kind = kind(word, text);
        if (kind.named && name.isEmpty()) {
            throw new IllegalArgumentException(
                    "The key '" + text + "' lacks a name: write " + word + ":NAME.");
        }
        if (!kind.named && colon >= 0) {
            throw new IllegalArgumentException(
                    "The key '" + text + "' has a name, which '" + word + "' cannot have.");
        }
        if ((kind == KeyKind.HEADER || kind == KeyKind.COOKIE) && !TOKEN.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The key '" + text + "' cannot match, since no " + word + " has such a name.");
        }
        if (kind == KeyKind.BEAN && !isKeyResolver.test(name)) {
            throw new IllegalArgumentException(
                    "The key '"
                            + text
                            + "' has no bean: there is no RateLimitKeyResolver named '"
                            + name
                            + "'.");
        }
        return new KeyPart(kind, name, hash, ipv6Prefix);
    }

    private static KeyKind kind(String word, String text) {
        for (KeyKind kind : KeyKind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "The key '"
                        + text
                        + "' is none of "
                        + String.join(", ", KeyKind.FORMS)
                        + "."
                        + Nearest.question(word, KeyKind.WORDS));
    }

    private record DefaultKey(KeyPart inRequest, KeyPart elsewhere) implements RuleKey {

        @Override
        public List<String> parts() {
            return List.of(inRequest.text());
        }

        @Override
        public Key resolve(Caller caller) {
            KeyPart part = caller.isRequest() ? inRequest : elsewhere;
            return new Key(List.of(part.resolve(caller)));
        }

        @Override
        public List<Key> named(String text) {
            List<Key> named = new ArrayList<>(keys(inRequest.named(text)));
            if (text.equals(elsewhere.text())) {
                named.addAll(keys(elsewhere.named(text)));
            }
            return named;
        }
    }

    private static List<Key> keys(List<Key.Part> parts) {
        return parts.stream().map(part -> new Key(List.of(part))).toList();
    }

    private record SingleKey(KeyPart part) implements RuleKey {

        @Override
        public List<String> parts() {
            return List.of(part.text());
        }

        @Override
        public Key resolve(Caller caller) {
            return new Key(List.of(part.resolve(caller)));
        }

        @Override
        public List<Key> named(String text) {
            return keys(part.named(text));
        }
    }

    private record CompositeKey(List<KeyPart> composed) implements RuleKey {

        @Override
        public List<String> parts() {
            return composed.stream().map(KeyPart::text).toList();
        }

        @Override
        public Key resolve(Caller caller) {
            Key.Part[] parts = new Key.Part[composed.size()];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = composed.get(i).resolve(caller);
            }
            return new Key(List.of(parts));
        }

        /** Each combination, if there is a value for each part; they are few. */
        @Override
        public List<Key> named(String text) {
            List<String> values = Key.values(text);
            List<List<Key.Part>> named = List.of(List.of());
            for (int i = 0; i < composed.size() && values.size() == composed.size(); i++) {
                List<List<Key.Part>> longer = new ArrayList<>();
                for (List<Key.Part> before : named) {
                    for (Key.Part part : composed.get(i).named(values.get(i))) {
                        List<Key.Part> parts = new ArrayList<>(before);
                        parts.add(part);
                        longer.add(parts);
                    }
                }
                named = longer;
            }
            return named.stream().filter(parts -> !parts.isEmpty()).map(Key::new).toList();
        }
    }
}
