package dev.ratelimit.spring.rule;

import dev.ratelimit.spring.key.IpAddress;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Networks of IP addresses, as a list of CIDRs and single addresses names them. */
public final class IpNetworks {

    public static final IpNetworks NONE = new IpNetworks(0);

    private static final Pattern PREFIX = Pattern.compile("0|[1-9]\\d{0,2}");

    private final IpAddress[] networks;
    private final int[] prefixes;

    private IpNetworks(int size) {
        networks = new IpAddress[size];
        prefixes = new int[size];
    }

    /**
     * Reads a list. Bits of an address that are outside its prefix do not matter: {@code
     * 10.0.0.1/8} is all of {@code 10.0.0.0/8}.
     *
     * @param cidrs such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or {@code 203.0.113.9}
     * @param where tells where an item of the list is written
     * @return the networks
     * @throws InvalidRuleException if an item is no network
     */
    public static IpNetworks parse(List<String> cidrs, IntFunction<String> where) {
        if (cidrs.isEmpty()) {
            return NONE;
        }
        IpNetworks networks = new IpNetworks(cidrs.size());
        for (int i = 0; i < cidrs.size(); i++) {
            networks.read(i, cidrs.get(i), where);
        }
        return networks;
    }

    private void read(int i, String cidr, IntFunction<String> where) {
        String text = cidr.strip();
        int slash = text.indexOf('/');
        String written = slash < 0 ? text : text.substring(0, slash);
        IpAddress address = IpAddress.parseBare(written);
        if (address == null) {
            throw invalid(where.apply(i), cidr, "is no network: it does not begin with an address");
        }
        // An IPv4 address that is written as IPv6 has an IPv6 prefix.
        int surplus = written.indexOf(':') < 0 ? 0 : 128 - address.bits();
        networks[i] = address;
        prefixes[i] =
                slash < 0 ? address.bits() : prefix(text.substring(slash + 1), surplus, address);
        if (prefixes[i] < 0) {
            throw invalid(
                    where.apply(i),
                    cidr,
                    "is no network: its prefix is not a number from "
                            + surplus
                            + " to "
                            + (surplus + address.bits()));
        }
    }

    /** How many bits of an address count; negative if that is no such number. */
    private static int prefix(String text, int surplus, IpAddress address) {
        if (!PREFIX.matcher(text).matches()) {
            return -1;
        }
        int prefix = Integer.parseInt(text) - surplus;
        return prefix <= address.bits() ? prefix : -1;
    }

    private static InvalidRuleException invalid(String where, String cidr, String problem) {
        return new InvalidRuleException(
                where,
                "'" + cidr + "' " + problem + ".",
                "Write it as 10.0.0.0/8 or 2001:db8::/32, or a single address as 203.0.113.9. Names"
                        + " of hosts are not looked up.");
    }

    public boolean isEmpty() {
        return networks.length == 0;
    }

    /**
     * Whether an address is in one of these networks.
     *
     * @param address a whole address; null for one that is not known, which is in none
     */
    public boolean contains(@Nullable IpAddress address) {
        if (address == null) {
            return false;
        }
        for (int i = 0; i < networks.length; i++) {
            if (address.isInNetwork(networks[i], prefixes[i])) {
                return true;
            }
        }
        return false;
    }
}
