package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ratelimit.spring.key.IpAddress;
import dev.ratelimit.spring.rule.IpNetworks;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.filter.ForwardedHeaderFilter;

/** Proxies in 10.0.0.0/8 and 2001:db8:aaaa::/48 are trusted; lines of a header are divided by |. */
@ExtendWith(OutputCaptureExtension.class)
class ClientAddressTest {

    private static final IpNetworks PROXIES = networks("10.0.0.0/8", "2001:db8:aaaa::/48");

    private final ClientAddress byList = new ClientAddress(PROXIES, header("X-Forwarded-For"), 64);
    private final ClientAddress byPairs = new ClientAddress(PROXIES, header("Forwarded"), 64);
    private final ClientAddress untrusting =
            new ClientAddress(IpNetworks.NONE, header("X-Forwarded-For"), 64);

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                // The right-most hop that is not trusted.
                "203.0.113.9; 203.0.113.9",
                "6.6.6.6, 203.0.113.9; 203.0.113.9",
                "6.6.6.6, 203.0.113.9, 10.0.0.2; 203.0.113.9",
                "6.6.6.6, 203.0.113.9, 10.0.0.3, 10.0.0.2; 203.0.113.9",
                "6.6.6.6, 10.0.0.3, 203.0.113.9, 10.0.0.2; 203.0.113.9",
                "6.6.6.6, 203.0.113.9, 2001:db8:aaaa::1; 203.0.113.9",
                // The left-most, if all are trusted.
                "10.0.0.3, 10.0.0.2; 10.0.0.3",
                "10.0.0.2; 10.0.0.2",
                // All lines are one list.
                "6.6.6.6 | 203.0.113.9; 203.0.113.9",
                "6.6.6.6, 203.0.113.9 | 10.0.0.2; 203.0.113.9",
                "6.6.6.6 | 203.0.113.9 | 10.0.0.3, 10.0.0.2; 203.0.113.9",
                "10.0.0.4 | 10.0.0.3, 10.0.0.2; 10.0.0.4",
                // All spellings are one.
                "203.0.113.9:52241; 203.0.113.9",
                "::ffff:203.0.113.9; 203.0.113.9",
                "[::FFFF:CB00:7109]:443; 203.0.113.9",
                "6.6.6.6, 203.0.113.9, ::ffff:10.0.0.2; 203.0.113.9",
                "6.6.6.6, 203.0.113.9, 10.0.0.2:4711; 203.0.113.9",
                "6.6.6.6, 203.0.113.9, [2001:DB8:AAAA::1]:4711; 203.0.113.9",
                "[2001:db8::1]:443; 2001:db8::1",
                "2001:0DB8:0:0::0001; 2001:db8::1",
                "fe80::1%eth0; fe80::1",
                "6.6.6.6,203.0.113.9,10.0.0.2; 203.0.113.9",
                "6.6.6.6 ,\t203.0.113.9\t ,  10.0.0.2 ; 203.0.113.9",
                // Nothing between commas is no hop.
                "203.0.113.9, ; 203.0.113.9",
                ", 203.0.113.9,, ,10.0.0.2,; 203.0.113.9",
                "203.0.113.9 | ; 203.0.113.9",
                "203.0.113.9 | , ; 203.0.113.9",
                ",; 10.0.0.1",
                // What is no address ends the walk.
                "203.0.113.9, unknown; 10.0.0.1",
                "203.0.113.9, unknown, 10.0.0.2; 10.0.0.2",
                "203.0.113.9 | garbage, 10.0.0.2; 10.0.0.2",
                "203.0.113.9, localhost, 10.0.0.2; 10.0.0.2",
                "203.0.113.9, 010.0.0.3, 10.0.0.2; 10.0.0.2",
                "203.0.113.9, 10.0.0.256; 10.0.0.1",
                "203.0.113.9, 10.0.0.3:port; 10.0.0.1",
                "203.0.113.9, 10.0.0.3 10.0.0.2; 10.0.0.1",
                "203.0.113.9, \"10.0.0.3\"; 10.0.0.1",
                "203.0.113.9, for=10.0.0.3; 10.0.0.1",
                "203.0.113.9, unix:; 10.0.0.1",
                "203.0.113.9, 10.0.0.3\u0000, 10.0.0.2; 10.0.0.2",
                "203.0.113.9, 10.0.0.\u0663; 10.0.0.1"
            })
    void theClientIsTheRightMostHopThatIsNotTrusted(String lines, String client) {
        assertThat(of(byList, "10.0.0.1", "X-Forwarded-For", lines)).isEqualTo(client);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '^',
            value = {
                "for=203.0.113.9 ^ 203.0.113.9",
                "for=6.6.6.6, for=203.0.113.9 ^ 203.0.113.9",
                "for=6.6.6.6, for=203.0.113.9, for=10.0.0.2 ^ 203.0.113.9",
                "for=6.6.6.6,for=203.0.113.9|for=10.0.0.3,for=10.0.0.2 ^ 203.0.113.9",
                "for=10.0.0.3 | for=10.0.0.2 ^ 10.0.0.3",
                "FOR=203.0.113.9;Proto=https ^ 203.0.113.9",
                "proto=https;host=example.org;For=203.0.113.9;by=10.0.0.1 ^ 203.0.113.9",
                "proto=https ; for = 203.0.113.9 ; ^ 203.0.113.9",
                ";;for=203.0.113.9;; ^ 203.0.113.9",
                ", for=203.0.113.9, , ^ 203.0.113.9",
                "for=\"203.0.113.9:4711\" ^ 203.0.113.9",
                "for=203.0.113.9:4711 ^ 203.0.113.9",
                "for=\"203.0.113.9:_Port.1\" ^ 203.0.113.9",
                "for=\"[2001:db8::1]:4711\" ^ 2001:db8::1",
                "for=\"[2001:DB8::1]\" ^ 2001:db8::1",
                "for=[2001:db8::1] ^ 2001:db8::1",
                "for=\"\\203\\.0.113.\\9\" ^ 203.0.113.9",
                // Quotes hide what would divide.
                "for=203.0.113.9;host=\"a,for=6.6.6.6\" ^ 203.0.113.9",
                "for=203.0.113.9;host=\"a;for=6.6.6.6\" ^ 203.0.113.9",
                "host=\"a;for=6.6.6.6\";for=203.0.113.9 ^ 203.0.113.9",
                "for=203.0.113.9;host=\"a\\\", for=\\\"6.6.6.6\" ^ 203.0.113.9",
                "for=203.0.113.9;host=\"a\\\\\", for=10.0.0.2 ^ 203.0.113.9",
                "for=203.0.113.9;host=\"\", for=10.0.0.2;host=\"\" ^ 203.0.113.9",
                // A quote that the client left open swallows nothing.
                "for=\"6.6.6.6, for=203.0.113.9 ^ 203.0.113.9",
                "for=\"6.6.6.6\\, for=\"203.0.113.9\" ^ 203.0.113.9",
                "\", for=203.0.113.9;host=\"x\" ^ 203.0.113.9",
                "for=\"6.6.6.6 | for=203.0.113.9, for=\"10.0.0.2\" ^ 203.0.113.9",
                // What names no address ends the walk.
                "for=203.0.113.9, for=unknown ^ 10.0.0.1",
                "for=203.0.113.9, for=unknown, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=_hidden, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=\"_gazonk:80\" ^ 10.0.0.1",
                "for=203.0.113.9, proto=https, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=\"\", for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, 10.0.0.3, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=10.0.0.3;for=10.0.0.4, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=\"10.0.0.3\"x, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=10.0.0.3\", for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=\"10.0.0.3, for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, for=\"10.0.0.3\\\", for=10.0.0.2 ^ 10.0.0.2",
                "for=203.0.113.9, xfor=10.0.0.3, for=10.0.0.2 ^ 10.0.0.2",
                "\" ^ 10.0.0.1",
                "\\\" ^ 10.0.0.1",
                "= ^ 10.0.0.1",
                "for=\"\\ ^ 10.0.0.1"
            })
    void elementsOfForwardedAreReadAsRfc7239HasThem(String lines, String client) {
        assertThat(of(byPairs, "10.0.0.1", "Forwarded", lines)).isEqualTo(client);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Real-IP",
                "True-Client-IP",
                "CF-Connecting-IP",
                "Client-IP",
                "X-Client-IP",
                "X-Cluster-Client-IP",
                "Fastly-Client-IP",
                "X-Original-Forwarded-For",
                "X-Forwarded",
                "Forwarded-For",
                "Forwarded"
            })
    void noOtherHeaderIsReadEvenFromATrustedProxy(String header) {
        assertThat(of(byList, "10.0.0.1", header, "203.0.113.9")).isEqualTo("10.0.0.1");
        assertThat(of(byList, "10.0.0.1", header, "for=203.0.113.9")).isEqualTo("10.0.0.1");
    }

    @Test
    void onlyTheNamedHeaderIsRead() {
        assertThat(of(byPairs, "10.0.0.1", "X-Forwarded-For", "203.0.113.9")).isEqualTo("10.0.0.1");
        assertThat(of(byList, "10.0.0.1", "x-FORWARDED-for", "203.0.113.9"))
                .isEqualTo("203.0.113.9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.5", "11.0.0.1", "2001:db8:aaab::1", "192.168.0.1"})
    void aPeerThatIsNoTrustedProxyIsNotBelieved(String peer) {
        assertThat(of(byList, peer, "X-Forwarded-For", "6.6.6.6")).isEqualTo(peer);
        assertThat(of(byPairs, peer, "Forwarded", "for=6.6.6.6")).isEqualTo(peer);
        assertThat(of(untrusting, peer, "X-Forwarded-For", "6.6.6.6")).isEqualTo(peer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "10.0.0.1:52241", "::ffff:10.0.0.1", "2001:db8:aaaa::1"})
    void aPeerIsTrustedByItsWholeAddressInAnySpelling(String peer) {
        assertThat(of(byList, peer, "X-Forwarded-For", "203.0.113.9")).isEqualTo("203.0.113.9");
    }

    @Test
    void trustIsDecidedBeforeAnIpv6AddressIsCutToItsPrefix() {
        ClientAddress oneHost = new ClientAddress(networks("2001:db8::1"), header("Forwarded"), 64);
        String client = "for=203.0.113.9";
        assertThat(of(oneHost, "2001:db8::1", "Forwarded", client)).isEqualTo("203.0.113.9");
        assertThat(of(oneHost, "2001:db8::2", "Forwarded", client)).isEqualTo("2001:db8::2");
    }

    @Test
    void whereEverybodyIsTrustedTheLeftMostIsTheClient() {
        ClientAddress all =
                new ClientAddress(networks("0.0.0.0/0", "::/0"), header("X-Forwarded-For"), 64);
        String hops = "6.6.6.6, 2001:db8::1 | 203.0.113.9, 10.0.0.2";
        assertThat(of(all, "198.51.100.1", "X-Forwarded-For", hops)).isEqualTo("6.6.6.6");
        assertThat(of(all, "2001:db8::7", "X-Forwarded-For", hops)).isEqualTo("6.6.6.6");
    }

    @Test
    void withoutTheHeaderATrustedPeerIsTheClient() {
        assertThat(of(byList, "10.0.0.1", "Accept", "*/*")).isEqualTo("10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "unknown", "unix:", "/run/app.sock", "garbage"})
    void aPeerWithoutAnAddressIsUnknownAndNotBelieved(String peer) {
        ClientAddress all =
                new ClientAddress(networks("0.0.0.0/0", "::/0"), header("X-Forwarded-For"), 64);
        assertThat(of(all, peer, "X-Forwarded-For", "203.0.113.9")).isNull();
        assertThat(of(all, null, "X-Forwarded-For", "203.0.113.9")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "10.0.0.2,", "\"", "\\\"", "\"\\", "for=\"a\\\",", "=", ";"})
    void aVeryLongHeaderTakesTimeInProportionToItsLength(String repeated) {
        String line = repeated.repeat(1_000_000 / repeated.length());
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> {
                    of(byList, "10.0.0.1", "X-Forwarded-For", line);
                    of(byPairs, "10.0.0.1", "Forwarded", line);
                });
    }

    @Test
    void peerAndHeaderAreReadBeneathTheForwardedHeaderFilter() throws Exception {
        MockHttpServletRequest received =
                request("10.0.0.1", "X-Forwarded-For", "6.6.6.6, 203.0.113.9");
        for (boolean removeOnly : new boolean[] {false, true}) {
            ForwardedHeaderFilter filter = new ForwardedHeaderFilter();
            filter.setRemoveOnly(removeOnly);
            FilterChain chain =
                    (request, response) -> {
                        HttpServletRequest seen = (HttpServletRequest) request;
                        assertThat(seen.getHeader("X-Forwarded-For")).isNull();
                        HttpServletRequest wrapped = new HttpServletRequestWrapper(seen);
                        assertThat(byList.of(wrapped)).hasToString("203.0.113.9");
                        assertThat(untrusting.of(wrapped)).hasToString("10.0.0.1");
                    };
            filter.doFilter(received, new MockHttpServletResponse(), chain);
        }
    }

    @Test
    void aWrapperOfTheApplicationIsBelieved() {
        HttpServletRequest wrapped =
                new HttpServletRequestWrapper(request("10.0.0.1", "X-Forwarded-For", "6.6.6.6")) {
                    @Override
                    public String getRemoteAddr() {
                        return "203.0.113.9";
                    }
                };
        assertThat(byList.of(wrapped)).hasToString("203.0.113.9");
    }

    @ParameterizedTest
    @CsvSource({"X-Forwarded-For, 6.6.6.6", "Forwarded, for=6.6.6.6"})
    void aHeaderThatIsNotBelievedIsLoggedOnceWithItsSender(
            String header, String value, CapturedOutput output) {
        of(untrusting, "203.0.113.5", "X-Real-IP", "6.6.6.6");
        assertThat(output).doesNotContain("RL-");

        of(untrusting, "203.0.113.5", header, value);
        of(untrusting, "203.0.113.6", "Forwarded", "for=6.6.6.7");
        of(untrusting, "203.0.113.7", "X-Forwarded-For", "6.6.6.8");

        assertThat(output)
                .containsOnlyOnce("RL-FORWARDED-UNTRUSTED: ")
                .containsOnlyOnce("WARN")
                .contains(header, "203.0.113.5", "ratelimit.client-ip.trusted-proxies")
                .doesNotContain("6.6.6");
    }

    @Test
    void whatATrustedProxySaysIsNothingToLog(CapturedOutput output) {
        of(byList, "10.0.0.1", "X-Forwarded-For", "203.0.113.9");
        of(byList, "203.0.113.9", "Accept", "*/*");
        assertThat(output).doesNotContain("RL-");
    }

    @Test
    void aProxyThatIsMissingAmongTheTrustedOnesIsLogged(CapturedOutput output) {
        of(byList, "192.168.0.1", "X-Forwarded-For", "203.0.113.9");
        assertThat(output).containsOnlyOnce("RL-FORWARDED-UNTRUSTED").contains("192.168.0.1");
    }

    private static @Nullable String of(
            ClientAddress addresses, @Nullable String peer, String header, String lines) {
        IpAddress address = addresses.of(request(peer, header, lines));
        return address == null ? null : address.toString();
    }

    private static MockHttpServletRequest request(
            @Nullable String peer, String header, String lines) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(peer);
        Arrays.stream(lines.split("\\|")).forEach(line -> request.addHeader(header, line));
        return request;
    }

    private static IpNetworks networks(String... cidrs) {
        return IpNetworks.parse(List.of(cidrs), i -> "test");
    }

    private static ForwardedHeader header(String field) {
        return Arrays.stream(ForwardedHeader.values())
                .filter(header -> header.field().equals(field))
                .findFirst()
                .orElseThrow();
    }
}
