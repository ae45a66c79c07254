package dev.ratelimit.spring.key;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Replaces values that must be seen nowhere, such as API keys, by a short keyed hash. Without the
 * secret nobody can try out which value has a hash, or find two values with the same one.
 */
public final class SecretHash {

    private static final String ALGORITHM = "HmacSHA256";

    /** 80 bits: among 10⁵ keys, two meet by chance once in 10¹⁴ applications. */
    private static final int BYTES = 10;

    private final SecretKeySpec key;
    private final Mac keyed;

    /**
     * Makes a hash.
     *
     * @param secret keys it; null or blank for random bytes, so that no other process hashes alike
     */
    public SecretHash(@Nullable String secret) {
        byte[] bytes;
        if (secret == null || secret.isBlank()) {
            bytes = new byte[32];
            new SecureRandom().nextBytes(bytes);
        } else {
            bytes = secret.getBytes(StandardCharsets.UTF_8);
        }
        key = new SecretKeySpec(bytes, ALGORITHM);
        keyed = newMac();
    }

    private Mac newMac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has " + ALGORITHM, e);
        }
    }

    /** The hash of a value, in hexadecimal digits. */
    public String of(String value) {
        byte[] hash = copy().doFinal(value.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(Arrays.copyOf(hash, BYTES));
    }

    /** A Mac serves one thread at a time, and a copy costs less than looking one up. */
    private Mac copy() {
        try {
            return (Mac) keyed.clone();
        } catch (CloneNotSupportedException e) {
            return newMac();
        }
    }
}
