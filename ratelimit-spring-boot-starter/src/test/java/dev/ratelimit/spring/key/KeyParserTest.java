package dev.ratelimit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class KeyParserTest {

    private static final String SECRET = "sk_live_SECRET";

    private final KeyParser parser = new KeyParser(new SecretHash("s"), 64, "tenant"::equals);

    @Test
    void each_kind_reads_its_own_part_of_a_request() {
        Request request = new Request();
        for (String kind : List.of("header:N", "cookie:N", "query:N", "path:N", "bean:tenant")) {
            request.values.put(kind, "value of " + kind);
        }
        request.values.put("session", "value of session");
        request.values.put("user", "ann");

        assertThat(id(request, "ip")).isEqualTo("203.0.113.9");
        assertThat(id(request, "user")).isEqualTo("ann");
        assertThat(id(request, "global")).isEqualTo("global");
        assertThat(id(request, "path:N")).isEqualTo("value of path:N");
        assertThat(id(request, "bean:tenant")).isEqualTo("value of bean:tenant");
        for (String secret : List.of("session", "header:N", "cookie:N", "query:N")) {
            assertThat(id(request, secret))
                    .as(secret)
                    .isEqualTo(new SecretHash("s").of("value of " + secret));
        }
    }

    @Test
    void values_of_different_kinds_never_meet() {
        Request request = new Request();
        List<String> kinds =
                List.of("user", "session", "header:N", "cookie:N", "query:N", "path:N");
        kinds.forEach(kind -> request.values.put(kind, "203.0.113.9"));

        assertThat(kinds.stream().map(kind -> parse(List.of(kind)).resolve(request)))
                .doesNotHaveDuplicates()
                .doesNotContain(parse(List.of("ip")).resolve(request));
    }

    @Test
    void what_is_secret_can_be_seen_nowhere_in_a_key() {
        for (String kind : List.of("session", "header:X-Api-Key", "cookie:N", "query:N")) {
            Request request = new Request();
            request.values.put(kind, SECRET);
            Key key = parse(List.of("ip", kind)).resolve(request);

            assertThat(key.id() + key + key.parts())
                    .doesNotContain(SECRET)
                    .doesNotContain("SECRET");
        }
    }

    @Test
    void hashes_are_the_same_under_one_secret_only_and_long_enough_not_to_meet() {
        assertThat(new SecretHash("a").of(SECRET)).isEqualTo(new SecretHash("a").of(SECRET));
        assertThat(new SecretHash("a").of(SECRET)).isNotEqualTo(new SecretHash("b").of(SECRET));
        assertThat(new SecretHash(null).of(SECRET)).isNotEqualTo(new SecretHash(null).of(SECRET));
        assertThat(new SecretHash(" ").of(SECRET)).isNotEqualTo(new SecretHash(" ").of(SECRET));
        assertThat(new SecretHash(null).of(SECRET)).matches("[0-9a-f]{16,32}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "session", "header:N", "cookie:N", "query:N", "path:N"})
    void a_missing_or_blank_value_is_counted_by_address(String kind) {
        Request missing = new Request();
        Request blank = new Request();
        blank.values.put(kind, " \t");
        Request elsewhere = new Request();
        elsewhere.values.put("ip", "198.51.100.1");
        RuleKey key = parse(List.of(kind));

        assertThat(key.resolve(missing)).isEqualTo(Key.of("ip", "203.0.113.9"));
        assertThat(key.resolve(blank)).isEqualTo(Key.of("ip", "203.0.113.9"));
        assertThat(key.resolve(elsewhere)).isEqualTo(Key.of("ip", "198.51.100.1"));
    }

    @Test
    void without_an_address_all_are_unknown_which_is_logged_once(CapturedOutput output) {
        RuleKey key = parse(List.of("header:N"));
        Request nobody = new Request();
        nobody.values.remove("ip");

        Key first = key.resolve(nobody);
        Key second = key.resolve(nobody);

        assertThat(first).isEqualTo(second).isNotEqualTo(Key.of("user", first.id()));
        assertThat(output.getOut()).containsOnlyOnce("header:N");
    }

    @Test
    void a_value_that_cannot_be_read_is_missing_which_is_logged_once(CapturedOutput output) {
        RuleKey key = parse(List.of("bean:tenant"));
        Request failing =
                new Request() {
                    @Override
                    public String bean(String name) {
                        throw new IllegalStateException("no tenant in the token");
                    }
                };

        key.resolve(failing);

        assertThat(key.resolve(failing)).isEqualTo(Key.of("ip", "203.0.113.9"));
        assertThat(output.getOut()).containsOnlyOnce("could not be read");
    }

    @Test
    void the_null_text_and_nothing_and_null_are_three() {
        RuleKey key = parse(List.of("path:N", "ip"));
        Request nothing = new Request();
        Request empty = new Request();
        empty.values.put("path:N", "");
        Request text = new Request();
        text.values.put("path:N", "null");

        assertThat(key.resolve(nothing)).isEqualTo(key.resolve(empty));
        assertThat(key.resolve(text)).isNotEqualTo(key.resolve(nothing));
    }

    @Test
    void spaces_around_a_value_do_not_count() {
        RuleKey key = parse(List.of("header:N"));
        assertThat(List.of("KEY1", " KEY1", "KEY1\t"))
                .extracting(value -> key.resolve(request("header:N", value)))
                .containsOnly(key.resolve(request("header:N", "KEY1")));
    }

    @Test
    void a_very_long_value_takes_no_more_memory_than_a_short_one() {
        Request request = request("path:N", "x".repeat(8_000));
        assertThat(id(request, "path:N").length()).isLessThan(100);
        assertThat(id(request, "path:N")).isNotEqualTo(id(request("path:N", "y"), "path:N"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "a bc ab c",
                "a:b c a b:c",
                "x|y z x y|z",
                "a\\ b a \\|b",
                "2001:db8::1 a 2001:db8: :1a"
            })
    void parts_do_not_run_together(String first, String second, String third, String fourth) {
        RuleKey key = parse(List.of("path:A", "path:B"));
        Key one = key.resolve(request("path:A", first, "path:B", second));
        Key other = key.resolve(request("path:A", third, "path:B", fourth));

        assertThat(one).isNotEqualTo(other);
        assertThat(one.toString()).isNotEqualTo(other.toString());
        assertThat(one.id()).isNotEqualTo(other.id());
    }

    @Test
    void the_default_is_the_address_of_a_request_and_everybody_elsewhere() {
        RuleKey key = parse(List.of());
        assertThat(key.resolve(new Request())).isEqualTo(Key.of("ip", "203.0.113.9"));
        assertThat(key.resolve(Caller.NONE)).isEqualTo(Key.of("global", "global"));
        assertThat(key.parts()).containsExactly("ip");
    }

    @Test
    void parts_are_shown_as_they_are_written() {
        assertThat(parse(List.of(" ip", "header: X-Api-Key ")).parts())
                .containsExactly("ip", "header:X-Api-Key");
    }

    @ParameterizedTest
    @CsvSource({
        "usr, user",
        "IP, ip",
        "heder:X-Api-Key, header",
        "param:q, ''",
        "'', ''",
        "ip-address, ''"
    })
    void an_unknown_kind_is_named_with_those_there_are(String key, String meant) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(List.of(key)))
                .withMessageContaining("'" + key + "'")
                .withMessageContaining(
                        "ip, user, global, session, header:NAME, cookie:NAME, query:NAME,"
                                + " path:NAME, bean:NAME")
                .satisfies(
                        e -> {
                            if (meant.isEmpty()) {
                                assertThat(e).hasMessageEndingWith(".");
                            } else {
                                assertThat(e).hasMessageEndingWith("Did you mean '" + meant + "'?");
                            }
                        });
    }

    @ParameterizedTest
    @CsvSource({
        "header, write header:NAME",
        "header:, write header:NAME",
        "cookie: , write cookie:NAME",
        "path, write path:NAME",
        "bean:nobody, no RateLimitKeyResolver named 'nobody'",
        "ip:5, has a name",
        "user:name, has a name",
        "header:X Api Key, no header has such a name"
    })
    void a_kind_with_a_wrong_name_says_what_is_wrong(String key, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(List.of("ip", key)))
                .withMessageContaining(key.strip())
                .withMessageContaining(problem);
    }

    private RuleKey parse(List<String> parts) {
        return parser.parse(parts, Map.of());
    }

    private String id(Caller caller, String key) {
        return parse(List.of(key)).resolve(caller).id();
    }

    private static Request request(String... kindsAndValues) {
        Request request = new Request();
        for (int i = 0; i < kindsAndValues.length; i += 2) {
            request.values.put(kindsAndValues[i], kindsAndValues[i + 1]);
        }
        return request;
    }

    private static class Request implements Caller {

        final Map<String, String> values = new HashMap<>(Map.of("ip", "203.0.113.9"));

        @Override
        public boolean isRequest() {
            return true;
        }

        @Override
        public @Nullable String address() {
            return values.get("ip");
        }

        @Override
        public @Nullable String user() {
            return values.get("user");
        }

        @Override
        public @Nullable String session() {
            return values.get("session");
        }

        @Override
        public @Nullable String header(String name) {
            return values.get("header:" + name);
        }

        @Override
        public @Nullable String cookie(String name) {
            return values.get("cookie:" + name);
        }

        @Override
        public @Nullable String query(String name) {
            return values.get("query:" + name);
        }

        @Override
        public @Nullable String pathVariable(String name) {
            return values.get("path:" + name);
        }

        @Override
        public @Nullable String bean(String name) {
            return values.get("bean:" + name);
        }
    }
}
