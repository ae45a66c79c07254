package dev.ratelimit.spring.expression;

import dev.ratelimit.spring.key.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** What a value is called in a key. */
final class KeyText {

    private KeyText() {}

    /** The text of an expression's value; null if it has none, which is warned of once. */
    static @Nullable String of(CallExpression expression, Caller caller) {
        Object value = ObjectUtils.unwrapOptional(expression.evaluate(caller, Object.class));
        if (value == null || value instanceof String) {
            return (String) value;
        }
        if (value.getClass().isArray()) {
            return ObjectUtils.nullSafeToString(value);
        }
        try {
            String text = value.toString();
            if (!isIdentity(text, value)) {
                return text;
            }
        } catch (RuntimeException e) {
            expression.warnOnce("has a value whose toString failed", e);
            return null;
        }
        // Each object would be counted by itself, and thus no call limited.
        expression.warnOnce(
                "has a value of " + value.getClass().getTypeName() + ", which has no toString",
                null);
        return null;
    }

    /** Whether a text is what {@link Object#toString} makes of an object. */
    private static boolean isIdentity(String text, Object value) {
        String type = value.getClass().getName();
        return text.startsWith(type)
                && text.equals(type + '@' + Integer.toHexString(value.hashCode()));
    }
}
