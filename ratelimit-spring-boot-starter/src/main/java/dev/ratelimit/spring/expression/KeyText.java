package dev.ratelimit.spring.expression;

import dev.ratelimit.spring.key.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** What a value is called in a key. */
final class KeyText {

    /** Whether the text of an object is more than the identity that it has by itself. */
    private static final ClassValue<Boolean> HAS_TEXT =
            new ClassValue<>() {
                @Override
                protected Boolean computeValue(Class<?> type) {
                    try {
                        return type.getMethod("toString").getDeclaringClass() != Object.class;
                    } catch (NoSuchMethodException e) {
                        return false;
                    }
                }
            };

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
        if (HAS_TEXT.get(value.getClass())) {
            try {
                return value.toString();
            } catch (RuntimeException e) {
                expression.warnOnce("has a value whose toString failed", e);
                return null;
            }
        }
        // Each object would be counted by itself, and thus no call limited.
        expression.warnOnce(
                "has a value of " + value.getClass().getTypeName() + ", which has no toString",
                null);
        return null;
    }
}
