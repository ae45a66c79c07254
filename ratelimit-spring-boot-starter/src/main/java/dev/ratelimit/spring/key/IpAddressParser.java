package dev.ratelimit.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * Reads IP addresses in all their spellings. Never asks DNS, as {@link
 * java.net.InetAddress#getByName} would for whatever is not an address.
 */
final class IpAddressParser {

    private static final int GROUPS = 8;

    private IpAddressParser() {}

    static @Nullable IpAddress parse(String text) {
        int start = 0;
        int end = text.length();
        if (text.startsWith("[")) {
            start = 1;
            end = text.indexOf(']');
        } else if (text.indexOf('.') >= 0 && text.indexOf(':') == text.lastIndexOf(':')) {
            end = text.indexOf(':') < 0 ? end : text.indexOf(':');
        }
        if (end < start || !isPortOrNothing(text, start == 0 ? end : end + 1)) {
            return null;
        }
        int zone = text.indexOf('%', start);
        return parseBare(text, start, zone < 0 || zone > end ? end : zone);
    }

    /** A port number, or as RFC 7239 has it a name that hides one. */
    private static boolean isPortOrNothing(String text, int from) {
        if (from == text.length()) {
            return true;
        }
        if (text.charAt(from) != ':' || from + 1 == text.length()) {
            return false;
        }
        boolean hidden = text.charAt(from + 1) == '_';
        for (int i = from + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isDigit(c) && !(hidden && isNameCharacter(c))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNameCharacter(char c) {
        int letter = (c | 0x20) - 'a';
        return (letter >= 0 && letter < 26) || c == '_' || c == '-' || c == '.';
    }

    /** Reads a part of a text, which has no port, brackets or zone. */
    static @Nullable IpAddress parseBare(String text, int start, int end) {
        int colon = text.indexOf(':', start);
        if (colon >= 0 && colon < end) {
            return parseV6(text, start, end);
        }
        long address = parseV4(text, start, end);
        return address < 0 ? null : IpAddress.v4(address);
    }

    /** Four decimal numbers; with leading zeros some would read them as octal, so none may. */
    private static long parseV4(String text, int start, int end) {
        long address = 0;
        int i = start;
        for (int part = 0; part < 4; part++) {
            if (part > 0) {
                if (i == end || text.charAt(i) != '.') {
                    return -1;
                }
                i++;
            }
            int first = i;
            int value = 0;
            while (i < end && i < first + 3 && isDigit(text.charAt(i))) {
                value = value * 10 + (text.charAt(i) - '0');
                i++;
            }
            boolean leadingZero = i > first + 1 && text.charAt(first) == '0';
            if (i == first || leadingZero || value > 255) {
                return -1;
            }
            address = address << 8 | value;
        }
        return i == end ? address : -1;
    }

    private static @Nullable IpAddress parseV6(String text, int start, int end) {
        int[] groups = new int[GROUPS];
        int count = 0;
        int gap = -1;
        int i = start;
        if (text.startsWith("::", start)) {
            gap = 0;
            i += 2;
        }
        while (i < end) {
            int first = i;
            int value = 0;
            while (i < end && i < first + 4 && hex(text.charAt(i)) >= 0) {
                value = value << 4 | hex(text.charAt(i));
                i++;
            }
            if (i < end && text.charAt(i) == '.') {
                long tail = parseV4(text, first, end);
                if (tail < 0 || count > GROUPS - 2) {
                    return null;
                }
                groups[count++] = (int) (tail >>> 16);
                groups[count++] = (int) (tail & 0xFFFF);
                break;
            }
            if (i == first || count == GROUPS) {
                return null;
            }
            groups[count++] = value;
            if (i == end) {
                break;
            }
            if (text.charAt(i) != ':' || i + 1 == end) {
                return null;
            }
            i++;
            if (text.charAt(i) == ':') {
                if (gap >= 0) {
                    return null;
                }
                gap = count;
                i++;
            }
        }
        if (gap < 0 ? count != GROUPS : count == GROUPS) {
            return null;
        }
        return of(groups, count, gap < 0 ? count : gap);
    }

    /** Puts zeros where the gap is. */
    private static IpAddress of(int[] groups, int count, int gap) {
        long high = 0;
        long low = 0;
        int zeros = GROUPS - count;
        for (int i = 0; i < GROUPS; i++) {
            int group = i < gap ? groups[i] : i < gap + zeros ? 0 : groups[i - zeros];
            if (i < GROUPS / 2) {
                high = high << 16 | group;
            } else {
                low = low << 16 | group;
            }
        }
        return IpAddress.v6(high, low);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int hex(char c) {
        if (isDigit(c)) {
            return c - '0';
        }
        int letter = (c | 0x20) - 'a';
        return letter >= 0 && letter < 6 ? letter + 10 : -1;
    }
}
