package dev.ratelimit.spring.redis;

import java.nio.charset.StandardCharsets;

/** The keys and arguments of one call of the script. */
final class ScriptCall {

    final byte[][] keys;
    final byte[][] arguments;

    ScriptCall(byte[][] keys, byte[][] arguments) {
        this.keys = keys;
        this.arguments = arguments;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    byte[][] keysAndArguments() {
        byte[][] all = new byte[keys.length + arguments.length][];
        System.arraycopy(keys, 0, all, 0, keys.length);
        System.arraycopy(arguments, 0, all, keys.length, arguments.length);
        return all;
    }
}
