package dev.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A server that is reached through TLS, with a certificate of its own. */
class TlsTest {

    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir private Path directory;

    /** A server that was built without TLS does not have the setting. */
    private static boolean speaksTls(RedisServer server) {
        LettuceConnectionFactory connections = server.connect();
        try (RedisConnection connection = connections.getConnection()) {
            Properties settings = connection.serverCommands().getConfig("tls-port");
            return settings != null && !settings.isEmpty();
        } finally {
            connections.destroy();
        }
    }

    @Test
    void limits_are_shared_through_tls() throws Exception {
        assumeThat(speaksTls(RedisServer.common())).as("the server speaks TLS").isTrue();
        makeCertificate();
        int tlsPort = RedisServer.freePort();
        try (RedisServer server =
                        new RedisServer(
                                "tls-port " + tlsPort,
                                "tls-cert-file " + directory.resolve("certificate.pem"),
                                "tls-key-file " + directory.resolve("key.pem"),
                                "tls-ca-cert-file " + directory.resolve("certificate.pem"),
                                "tls-auth-clients no");
                Instance one = instance(tlsPort, "lettuce");
                Instance other = instance(tlsPort, "jedis")) {
            for (int i = 0; i < 10; i++) {
                assertThat((i % 2 == 0 ? one : other).call("search").remaining()).isEqualTo(9 - i);
            }
            assertThat(one.allowed()).isFalse();
            assertThat(other.allowed()).isFalse();
        }
    }

    private Instance instance(int tlsPort, String client) {
        return Instance.start(
                tlsPort,
                "--spring.data.redis.client-type=" + client,
                "--spring.data.redis.ssl.bundle=redis",
                "--spring.ssl.bundle.pem.redis.truststore.certificate="
                        + directory.resolve("certificate.pem").toUri());
    }

    private void makeCertificate() throws Exception {
        Path keys = directory.resolve("keys.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-keystore",
                                keys.toString(),
                                "-storepass",
                                new String(PASSWORD),
                                "-alias",
                                "redis",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=redis",
                                "-ext",
                                "san=ip:127.0.0.1")
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream stream = Files.newInputStream(keys)) {
            store.load(stream, PASSWORD);
        }
        write("certificate.pem", "CERTIFICATE", store.getCertificate("redis").getEncoded());
        write("key.pem", "PRIVATE KEY", store.getKey("redis", PASSWORD).getEncoded());
    }

    private void write(String file, String type, byte[] encoded) throws Exception {
        String text = Base64.getMimeEncoder().encodeToString(encoded);
        Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }
}
