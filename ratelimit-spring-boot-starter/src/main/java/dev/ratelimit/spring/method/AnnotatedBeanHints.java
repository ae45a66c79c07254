package dev.ratelimit.spring.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * Lets a native image see the annotated methods of each bean, which would otherwise not be limited,
 * their fallbacks, and what expressions over their arguments read.
 */
public final class AnnotatedBeanHints implements BeanRegistrationAotProcessor {

    private final AnnotatedTypes types = new AnnotatedTypes(false);
    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    /** Found by its name in aot.factories. */
    public AnnotatedBeanHints() {}

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        AnnotatedType type = types.get(BeanType.of(bean.getBeanClass()));
        return type.limits().isEmpty()
                ? null
                : (context, code) -> register(context.getRuntimeHints().reflection(), type);
    }

    private void register(ReflectionHints hints, AnnotatedType type) {
        for (Class<?> each : hierarchy(type.type().visible())) {
            hints.registerType(each, MemberCategory.INVOKE_DECLARED_METHODS);
        }
        type.advised()
                .forEach(
                        (method, limits) -> {
                            if (limits.stream().anyMatch(DeclaredLimit::hasExpression)) {
                                registerArguments(hints, method);
                            }
                        });
    }

    private static Set<Class<?>> hierarchy(Class<?> type) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            classes.add(at);
        }
        classes.addAll(Arrays.asList(ClassUtils.getAllInterfacesForClass(type)));
        return classes;
    }

    private void registerArguments(ReflectionHints hints, Method method) {
        for (Class<?> argument : method.getParameterTypes()) {
            hints.registerType(argument, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        binding.registerReflectionHints(hints, method.getGenericParameterTypes());
    }
}
