package dev.ratelimit.spring.web;

import org.jspecify.annotations.Nullable;

/**
 * Reads IP addresses in all their spellings, and writes each in one. Never asks DNS, as {@link
 * java.net.InetAddress#getByName} would for whatever is not an address.
 */
final class IpAddress {

    private static final int GROUPS = 8;

    private final boolean v6;
    private final long high;
    private final long low;

    private IpAddress(boolean v6, long high, long low) {
        this.v6 = v6;
        this.high = high;
        this.low = low;
    }

    /**
     * Reads an address, with or without a port, brackets or a zone. An IPv6 address that only maps
     * an IPv4 address is read as that.
     *
     * @param text what may be an address
     * @return the address; null if it is none
     */
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
        int firstColon = text.indexOf(':', start);
        if (firstColon < 0 || firstColon >= end) {
            long address = parseV4(text, start, end);
            return address < 0 ? null : new IpAddress(false, 0, address);
        }
        int zone = text.indexOf('%', start);
        return parseV6(text, start, zone < 0 || zone > end ? end : zone);
    }

    private static boolean isPortOrNothing(String text, int from) {
        if (from == text.length()) {
            return true;
        }
        if (text.charAt(from) != ':' || from + 1 == text.length()) {
            return false;
        }
        for (int i = from + 1; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
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
        boolean mapped = high == 0 && low >>> 32 == 0xFFFF;
        return mapped
                ? new IpAddress(false, 0, low & 0xFFFF_FFFFL)
                : new IpAddress(true, high, low);
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

    /**
     * Writes the network of this address: an IPv4 address alone, an IPv6 address by its prefix.
     *
     * @param ipv6Prefix how many leading bits count, 32 to 128
     * @return for example {@code 203.0.113.9} or {@code 2001:db8:1:2::/64}
     */
    String network(int ipv6Prefix) {
        StringBuilder text = new StringBuilder(24);
        if (!v6) {
            return text.append(low >>> 24)
                    .append('.')
                    .append(low >>> 16 & 0xFF)
                    .append('.')
                    .append(low >>> 8 & 0xFF)
                    .append('.')
                    .append(low & 0xFF)
                    .toString();
        }
        appendV6(
                text,
                ipv6Prefix >= 64 ? high : high & -1L << (64 - ipv6Prefix),
                ipv6Prefix <= 64 ? 0 : low & -1L << (128 - ipv6Prefix));
        return ipv6Prefix == 128 ? text.toString() : text.append('/').append(ipv6Prefix).toString();
    }

    /** As RFC 5952 wants it: lower case, and the first of the longest runs of zeros left out. */
    private static void appendV6(StringBuilder text, long high, long low) {
        int gap = -1;
        int gapLength = 1;
        for (int i = 0; i < GROUPS; i++) {
            int length = 0;
            while (i + length < GROUPS && group(high, low, i + length) == 0) {
                length++;
            }
            if (length > gapLength) {
                gap = i;
                gapLength = length;
            }
        }
        for (int i = 0; i < GROUPS; i++) {
            if (i == gap) {
                text.append("::");
                i += gapLength - 1;
                continue;
            }
            if (i > 0 && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(group(high, low, i)));
        }
    }

    private static int group(long high, long low, int index) {
        long half = index < 4 ? high : low;
        return (int) (half >>> (48 - 16 * (index & 3))) & 0xFFFF;
    }
}
