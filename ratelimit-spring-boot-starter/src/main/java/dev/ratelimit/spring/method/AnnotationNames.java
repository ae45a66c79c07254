package dev.ratelimit.spring.method;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.springframework.util.ClassUtils;

/**
 * What rules are called whose annotations give no name. It depends on nothing but the annotated
 * element, so that it is the same on all nodes.
 */
final class AnnotationNames {

    private static final int MAX_LENGTH = 64;

    private AnnotationNames() {}

    /** {@code Type.method}, or {@code Type}; other elements may have the same. */
    static String simple(DeclaredLimit limit) {
        Class<?> type = limit.declaringClass();
        String name = type.getSimpleName();
        if (name.isEmpty()) {
            name = ClassUtils.getShortName(type);
        }
        if (limit.source() instanceof Method method) {
            name += "." + method.getName();
        }
        return name.replaceAll("[^A-Za-z0-9._-]", "-");
    }

    /**
     * The name of a rule.
     *
     * @param limit the annotation
     * @param ambiguous whether another element has the same simple name
     */
    static String of(DeclaredLimit limit, boolean ambiguous) {
        String simple = simple(limit);
        String ordinal = limit.index() == 0 ? "" : "-" + (limit.index() + 1);
        if (!ambiguous && simple.length() + ordinal.length() <= MAX_LENGTH) {
            return simple + ordinal;
        }
        String suffix = "-" + hash(limit.place()) + ordinal;
        int length = Math.min(simple.length(), MAX_LENGTH - suffix.length());
        return simple.substring(0, length) + suffix;
    }

    private static String hash(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
