package dev.ratelimit.spring.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/** A script, by its text and by what Redis calls it. */
final class Script {

    private static final String NAME = "ratelimit.lua";

    private final byte[] text;
    private final String digest;

    Script(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
        this.digest = HexFormat.of().formatHex(sha1(this.text));
    }

    private static byte[] sha1(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-1").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has it", e);
        }
    }

    /** The text of the script that decides. */
    static String read() {
        try (InputStream stream = Script.class.getResourceAsStream(NAME)) {
            byte[] bytes = Objects.requireNonNull(stream, NAME).readAllBytes();
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] text() {
        return text;
    }

    String digest() {
        return digest;
    }
}
