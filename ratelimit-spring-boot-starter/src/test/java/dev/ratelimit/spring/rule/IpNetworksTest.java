package dev.ratelimit.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ratelimit.spring.key.IpAddress;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpNetworksTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0, 10.255.255.255, 11.0.0.0",
        "10.0.0.1/8, 10.0.0.0, 10.255.255.255, 9.255.255.255",
        "192.0.2.128/25, 192.0.2.128, 192.0.2.255, 192.0.2.127",
        "203.0.113.9/32, 203.0.113.9, ::ffff:203.0.113.9, 203.0.113.8",
        "203.0.113.9, 203.0.113.9, 203.0.113.9:80, 203.0.113.10",
        "' 203.0.113.9/31 ', 203.0.113.8, 203.0.113.9, 203.0.113.10",
        "0.0.0.0/0, 0.0.0.0, 255.255.255.255, ::",
        "128.0.0.0/1, 128.0.0.0, 255.255.255.255, 127.255.255.255",
        "::/0, ::, ffff::, 203.0.113.9",
        "2001:db8::/32, 2001:db8::, 2001:DB8:ffff:ffff:ffff:ffff:ffff:ffff, 2001:db9::",
        "2001:db8::1/64, 2001:db8::2, 2001:db8:0:0:ffff::, 2001:db8:0:1::",
        "2001:db8::/65, 2001:db8::, 2001:db8::7fff:0:0:0, 2001:db8::8000:0:0:0",
        "2001:db8::1/128, 2001:db8::1, '[2001:db8::1]:443', 2001:db8::2",
        "2001:db8::1, 2001:db8::1, 2001:db8::1%eth0, 2001:db8::3",
        "::ffff:10.0.0.0/104, 10.0.0.0, 10.255.255.255, 11.0.0.0",
        "::ffff:10.0.0.1, 10.0.0.1, ::ffff:a00:1, 10.0.0.2",
        "::ffff:0:0/96, 0.0.0.0, 255.255.255.255, ::"
    })
    void aNetworkHasTheAddressesThatBeginWithItsPrefix(
            String network, String first, String last, String outside) {
        IpNetworks networks = parse(network);
        assertThat(networks.contains(IpAddress.parse(first))).as(first).isTrue();
        assertThat(networks.contains(IpAddress.parse(last))).as(last).isTrue();
        assertThat(networks.contains(IpAddress.parse(outside))).as(outside).isFalse();
    }

    @Test
    void anAddressIsInAListIfItIsInOneOfItsNetworks() {
        IpNetworks networks = parse("10.0.0.0/8", "2001:db8::/32", "203.0.113.9");
        assertThat(networks.isEmpty()).isFalse();
        assertThat(List.of("10.1.2.3", "2001:db8::1", "203.0.113.9"))
                .allMatch(address -> networks.contains(IpAddress.parse(address)));
        assertThat(networks.contains(IpAddress.parse("203.0.113.8"))).isFalse();
    }

    @Test
    void nothingIsInAnEmptyListAndAnUnknownAddressIsNowhere() {
        assertThat(parse().isEmpty()).isTrue();
        assertThat(parse().contains(IpAddress.parse("203.0.113.9"))).isFalse();
        assertThat(parse("0.0.0.0/0", "::/0").contains(null)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/8",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/+8",
                "10.0.0.0/08",
                "10.0.0.0/8/8",
                "10.0.0.0/255.0.0.0",
                "10.0.0.0 /8",
                "10.0.0.0/9999999999",
                "10.0.0/8",
                "10.*",
                "10.0.0.0-10.0.0.9",
                "010.0.0.0/8",
                "10.0.0.1:80",
                "10.0.0.1:80/8",
                "[::1]",
                "fe80::1%eth0",
                "2001:db8::/129",
                "::ffff:10.0.0.0/95",
                "localhost",
                "proxy.example.org"
            })
    void whatIsNoNetworkIsRefusedWithItsPlace(String text) {
        assertThatExceptionOfType(InvalidRuleException.class)
                .isThrownBy(() -> parse("::1", text))
                .satisfies(
                        e -> {
                            assertThat(e.where()).isEqualTo("here[1]");
                            assertThat(e.problem()).contains("'" + text + "'");
                            assertThat(e.action()).contains("10.0.0.0/8");
                        });
    }

    @Test
    void aPrefixOutOfRangeIsRefusedWithTheRange() {
        assertThatExceptionOfType(InvalidRuleException.class)
                .isThrownBy(() -> parse("10.0.0.0/33"))
                .withMessageContaining("from 0 to 32");
        assertThatExceptionOfType(InvalidRuleException.class)
                .isThrownBy(() -> parse("::ffff:10.0.0.0/8"))
                .withMessageContaining("from 96 to 128");
    }

    @Test
    void prefixesAreComparedBitByBit() throws UnknownHostException {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            int bits = random.nextBoolean() ? 32 : 128;
            // The high bit is kept, so that an IPv6 address never maps an IPv4 address.
            BigInteger network = new BigInteger(bits, random).setBit(bits - 1);
            BigInteger address = network.flipBit(random.nextInt(bits - 1));
            int prefix = random.nextInt(bits + 1);
            boolean inside = network.xor(address).shiftRight(bits - prefix).signum() == 0;

            IpNetworks networks = parse(text(network, bits) + "/" + prefix);

            assertThat(networks.contains(IpAddress.parse(text(address, bits)))).isEqualTo(inside);
        }
    }

    private static String text(BigInteger address, int bits) throws UnknownHostException {
        byte[] bytes = new byte[bits / 8];
        byte[] all = address.toByteArray();
        System.arraycopy(all, all.length - bytes.length, bytes, 0, bytes.length);
        return InetAddress.getByAddress(bytes).getHostAddress();
    }

    private static IpNetworks parse(String... cidrs) {
        return IpNetworks.parse(List.of(cidrs), i -> "here[" + i + "]");
    }
}
