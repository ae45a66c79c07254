package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.expression.CallRoot;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Tells a native image what is used by reflection and stands in no bean definition. The hints for
 * the endpoint and the failure analyzer come from Spring Boot, those for annotated beans from
 * {@link dev.ratelimit.spring.method.AnnotatedBeanHints}.
 */
final class RateLimitRuntimeHints implements RuntimeHintsRegistrar {

    /** The classes of what expressions see: they are found by the class of the object itself. */
    private static final List<String> IN_EXPRESSIONS =
            List.of(
                    "jakarta.servlet.http.HttpServletRequest",
                    "jakarta.servlet.http.HttpServletRequestWrapper",
                    "jakarta.servlet.ServletRequestWrapper",
                    "org.apache.catalina.connector.RequestFacade",
                    "org.springframework.security.core.Authentication",
                    "org.springframework.security.authentication.AbstractAuthenticationToken",
                    "org.springframework.security.authentication.UsernamePasswordAuthenticationToken");

    /** The classes whose presence says that a library is there. */
    private static final List<String> LOOKED_FOR =
            List.of(
                    "io.lettuce.core.RedisClient",
                    "org.reactivestreams.Publisher",
                    "org.springframework.security.web.SecurityFilterChain",
                    "redis.clients.jedis.Jedis");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        ReflectionHints reflection = hints.reflection();
        // Names of properties are checked against the components of these records.
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(reflection, RateLimitProperties.class);
        for (Class<?> type : List.of(CallRoot.class, Principal.class, String.class)) {
            reflection.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        for (String type : IN_EXPRESSIONS) {
            reflection.registerTypeIfPresent(
                    classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        for (String type : LOOKED_FOR) {
            reflection.registerTypeIfPresent(classLoader, type);
        }
        hints.resources().registerPattern("dev/ratelimit/spring/redis/*.lua");
        // Annotations that stand on other annotations are read through a proxy.
        hints.proxies().registerJdkProxy(RateLimited.class);
    }
}
