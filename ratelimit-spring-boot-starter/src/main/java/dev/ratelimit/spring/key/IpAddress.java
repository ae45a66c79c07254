package dev.ratelimit.spring.key;

import org.jspecify.annotations.Nullable;

/** An IP address. However it was spelled, it is written in one way. */
public final class IpAddress {

    private static final int GROUPS = 8;

    private final boolean v6;
    private final long high;
    private final long low;

    private IpAddress(boolean v6, long high, long low) {
        this.v6 = v6;
        this.high = high;
        this.low = low;
    }

    static IpAddress v4(long address) {
        return new IpAddress(false, 0, address);
    }

    /** An IPv6 address that only maps an IPv4 address is read as that. */
    static IpAddress v6(long high, long low) {
        boolean mapped = high == 0 && low >>> 32 == 0xFFFF;
        return mapped ? v4(low & 0xFFFF_FFFFL) : new IpAddress(true, high, low);
    }

    /**
     * Reads an address, with or without a port, brackets or a zone.
     *
     * @param text what may be an address
     * @return the address; null if it is none
     */
    public static @Nullable IpAddress parse(String text) {
        return IpAddressParser.parse(text);
    }

    /**
     * Reads an address that stands alone.
     *
     * @param text what may be an address
     * @return the address; null if it is none, or has a port, brackets or a zone
     */
    public static @Nullable IpAddress parseBare(String text) {
        return IpAddressParser.parseBare(text, 0, text.length());
    }

    /** How many bits it has: 32 or 128. */
    public int bits() {
        return v6 ? 128 : 32;
    }

    /**
     * Whether this is in the network of another address.
     *
     * @param network an address; none of the other IP version has this in its network
     * @param prefix how many leading bits the network has, 0 to its {@link #bits}
     * @return whether these bits are the same
     */
    public boolean isInNetwork(IpAddress network, int prefix) {
        if (v6 != network.v6) {
            return false;
        }
        // Java shifts by 64 as by 0.
        if (prefix == 0) {
            return true;
        }
        if (!v6) {
            return (low ^ network.low) >>> (32 - prefix) == 0;
        }
        return prefix <= 64
                ? (high ^ network.high) >>> (64 - prefix) == 0
                : high == network.high && (low ^ network.low) >>> (128 - prefix) == 0;
    }

    /**
     * Writes the network of this address: an IPv4 address alone, an IPv6 address by its prefix.
     *
     * @param ipv6Prefix how many leading bits count, 32 to 128
     * @return for example {@code 203.0.113.9} or {@code 2001:db8:1:2::/64}
     */
    public String network(int ipv6Prefix) {
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

    /** The whole address. */
    @Override
    public String toString() {
        return network(128);
    }

    private static int group(long high, long low, int index) {
        long half = index < 4 ? high : low;
        return (int) (half >>> (48 - 16 * (index & 3))) & 0xFFFF;
    }
}
