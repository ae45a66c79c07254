package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What an IDE completes and explains. */
class ConfigurationMetadataTest {

    private static Map<String, Map<String, Object>> properties;
    private static Map<String, Map<String, Object>> hints;

    @BeforeAll
    static void read() throws IOException {
        String path = "/META-INF/spring-configuration-metadata.json";
        try (InputStream stream = RateLimitProperties.class.getResourceAsStream(path)) {
            Map<String, Object> metadata =
                    JsonParserFactory.getJsonParser()
                            .parseMap(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            properties = byName(metadata.get("properties"));
            hints = byName(metadata.get("hints"));
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> byName(Object items) {
        Map<String, Map<String, Object>> byName = new HashMap<>();
        ((List<Map<String, Object>>) items)
                .forEach(item -> byName.put((String) item.get("name"), item));
        return byName;
    }

    @Test
    void every_property_has_a_description() {
        assertThat(properties)
                .containsKeys(
                        "ratelimit.enabled",
                        "ratelimit.store",
                        "ratelimit.headers.styles",
                        "ratelimit.headers.expose",
                        "ratelimit.client-ip.trusted-proxies",
                        "ratelimit.client-ip.header",
                        "ratelimit.client-ip.ipv6-prefix",
                        "ratelimit.hash-secret",
                        "ratelimit.in-memory.max-keys",
                        "ratelimit.redis.key-prefix",
                        "ratelimit.redis.timeout",
                        "ratelimit.redis.on-failure",
                        "ratelimit.metrics.bucket-gauges",
                        "ratelimit.rules");
        assertThat(properties)
                .allSatisfy(
                        (name, property) ->
                                assertThat((String) property.get("description"))
                                        .as(name)
                                        .isNotBlank()
                                        .endsWith("."));
    }

    @Test
    void every_property_of_a_rule_is_described() {
        for (String name : PropertySchema.names(RateLimitProperties.RuleProperties.class)) {
            assertThat(properties).containsKey("ratelimit.rules.*." + name);
        }
        assertThat(properties.get("ratelimit.rules.*.window").get("type"))
                .isEqualTo("java.time.Duration");
        assertThat(properties.get("ratelimit.rules.*.requests").get("type"))
                .isEqualTo("java.lang.Long");
    }

    @Test
    void defaults_are_the_real_ones() {
        assertThat(properties.get("ratelimit.in-memory.max-keys").get("defaultValue"))
                .isEqualTo(100_000);
        assertThat(properties.get("ratelimit.client-ip.header").get("defaultValue"))
                .isEqualTo("X-Forwarded-For");
        assertThat(properties.get("ratelimit.rules.*.strategy").get("defaultValue"))
                .isEqualTo("fixed-window");
    }

    @Test
    void values_are_completed() {
        assertThat(values("ratelimit.rules.*.strategy"))
                .containsExactly("fixed-window", "token-bucket", "sliding-window", "sliding-log");
        assertThat(values("ratelimit.rules.*.key"))
                .containsExactly(
                        "ip", "user", "global", "session", "header:", "cookie:", "query:", "path:",
                        "bean:");
        assertThat(values("ratelimit.rules.*.methods")).contains("GET", "POST");
        assertThat(values("ratelimit.headers.styles")).containsExactly("legacy", "draft-11");
        assertThat(values("ratelimit.client-ip.header"))
                .containsExactly("X-Forwarded-For", "Forwarded");
        assertThat(values("ratelimit.store")).containsExactly("in-memory");
        assertThat(values("ratelimit.rules.keys")).contains("search");
    }

    @SuppressWarnings("unchecked")
    private static List<Object> values(String name) {
        assertThat(hints).containsKey(name);
        return ((List<Map<String, Object>>) hints.get(name).get("values"))
                .stream().map(value -> value.get("value")).toList();
    }
}
