package dev.ratelimit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MethodCallerTest {

    @Test
    void a_caller_with_arguments_is_the_same_caller_in_everything_else() throws Exception {
        List<String> asked = new ArrayList<>();
        Caller caller =
                (Caller)
                        Proxy.newProxyInstance(
                                Caller.class.getClassLoader(),
                                new Class<?>[] {Caller.class},
                                (proxy, method, arguments) -> {
                                    asked.add(method.getName());
                                    return method.getReturnType() == boolean.class ? true : null;
                                });
        Caller with = new MethodCaller(caller, Map.of("id", 7));
        List<String> expected = new ArrayList<>();
        for (Method method : Caller.class.getMethods()) {
            boolean own = method.getName().equals("arguments") || method.getName().equals("with");
            if (!own && !method.getName().startsWith("$")) {
                expected.add(method.getName());
                method.invoke(
                        with, method.getParameterCount() == 0 ? new Object[0] : new Object[] {"x"});
            }
        }
        assertThat(asked).containsExactlyElementsOf(expected).hasSizeGreaterThan(10);
        assertThat(with.arguments()).containsExactly(Map.entry("id", 7));
    }
}
