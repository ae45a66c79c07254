package dev.ratelimit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {

    @ParameterizedTest
    @CsvSource({
        "203.0.113.9, 203.0.113.9",
        "203.0.113.9:52241, 203.0.113.9",
        "[203.0.113.9]:52241, 203.0.113.9",
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "::ffff:203.0.113.9, 203.0.113.9",
        "::FFFF:cb00:7109, 203.0.113.9",
        "0:0:0:0:0:ffff:cb00:7109, 203.0.113.9",
        "[::ffff:203.0.113.9]:443, 203.0.113.9",
        "2001:db8:1:2::1, 2001:db8:1:2::/64",
        "2001:DB8:1:2:ffff:ffff:ffff:ffff, 2001:db8:1:2::/64",
        "2001:0db8:0001:0002:0000:0000:0000:0001, 2001:db8:1:2::/64",
        "[2001:db8:1:2::1], 2001:db8:1:2::/64",
        "[2001:db8:1:2::1]:4711, 2001:db8:1:2::/64",
        "2001:db8::1, 2001:db8::/64",
        "2001:db8::203.0.113.9, 2001:db8::/64",
        "203.0.113.9:_hidden.Port-1, 203.0.113.9",
        "fe80::1%eth0, fe80::/64",
        "[fe80::1%25eth0]:80, fe80::/64",
        "0:0:0:0:0:0:0:1, ::/64",
        "::, ::/64",
        "1::, 1::/64",
        "1:2:3:4:5:6:7::, 1:2:3:4::/64"
    })
    void every_spelling_of_an_address_becomes_one(String spelling, String network) {
        assertThat(network(spelling, 64)).isEqualTo(network);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "unknown",
                "example.org",
                "localhost",
                "_hidden",
                "203.0.113",
                "203.0.113.9.1",
                "203.0.113.256",
                "203.0.113.09",
                "010.0.0.1",
                "0203.0.113.9",
                "203.0.113.9\0",
                "\u0000",
                "203.0.113.9:hidden",
                "203.0.113.9:_hid den",
                "\u0661.2.3.4",
                "::\u0661",
                "unix:",
                "unix:/run/app.sock",
                "-1.2.3.4",
                "1e1.2.3.4",
                "http://203.0.113.9",
                "203.0.113.9/24",
                "203.0.113.9, 203.0.113.10",
                "203.0.113.",
                "203.0.113.9:",
                "203.0.113.9:x",
                "203.0.113.9 ",
                "3405803785",
                "0xcb.0.113.9",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1::",
                ":::",
                ":1",
                "1:",
                "1:2:3:4:5:6:7:203.0.113.9",
                "12345::",
                "g::",
                "::\uFF11",
                "[::1",
                "[::1]443",
                "[::1]:",
                "[]",
                "[",
                "::203.0.113",
                "::203.0.113.9:1"
            })
    void what_is_no_address_is_none(String text) {
        assertThat(IpAddress.parse(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "32, 2001:db8::/32",
        "48, 2001:db8:1::/48",
        "56, 2001:db8:1:ff00::/56",
        "64, 2001:db8:1:ffff::/64",
        "65, 2001:db8:1:ffff:8000::/65",
        "127, 2001:db8:1:ffff:ffff::fffe/127",
        "128, 2001:db8:1:ffff:ffff::ffff"
    })
    void as_many_bits_count_as_the_prefix_has(int prefix, String network) {
        assertThat(network("2001:db8:1:ffff:ffff::ffff", prefix)).isEqualTo(network);
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:0:1:0:0:0:1, 2001:db8:0:1::1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "1:0:0:0:0:0:0:0, 1::",
        "0:0:0:0:0:0:0:0, ::"
    })
    void the_longest_run_of_zeros_is_left_out_as_rfc_5952_wants(String text, String canonical) {
        assertThat(network(text, 128)).isEqualTo(canonical);
    }

    @Test
    void whole_addresses_are_read_as_the_jdk_reads_them() throws UnknownHostException {
        Random random = new Random(64);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[16];
            for (int b = 0; b < 16; b++) {
                bytes[b] = random.nextInt(3) == 0 ? (byte) random.nextInt() : 0;
            }
            bytes[0] = 0x20;
            InetAddress address = InetAddress.getByAddress(bytes);

            String canonical = network(address.getHostAddress(), 128);

            assertThat(InetAddress.getByName(canonical)).isEqualTo(address);
            assertThat(network(canonical, 128)).isEqualTo(canonical);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.9", "2001:db8::1", "::", "::ffff:203.0.113.9"})
    void an_address_alone_is_bare(String text) {
        assertThat(IpAddress.parseBare(text)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.9:80", "[2001:db8::1]", "fe80::1%eth0", "[::1]:80", ""})
    void an_address_with_anything_around_it_is_not_bare(String text) {
        assertThat(IpAddress.parseBare(text)).isNull();
    }

    @Test
    void an_address_is_written_whole() {
        assertThat(IpAddress.parse("[2001:DB8::0:1]:80")).hasToString("2001:db8::1");
        assertThat(IpAddress.parse("::ffff:203.0.113.9")).hasToString("203.0.113.9");
    }

    private static String network(String text, int prefix) {
        IpAddress address = IpAddress.parse(text);
        assertThat(address).as(text).isNotNull();
        return address.network(prefix);
    }
}
