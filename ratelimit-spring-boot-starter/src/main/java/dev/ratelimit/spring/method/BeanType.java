package dev.ratelimit.spring.method;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * The classes of a bean that can have annotations.
 *
 * @param visible what callers see: the class of the bean without what CGLIB made of it, or the
 *     class of a JDK proxy
 * @param target the class behind a JDK proxy; the same as {@code visible} where there is none
 */
record BeanType(Class<?> visible, Class<?> target) {

    static BeanType of(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        return new BeanType(userClass, userClass);
    }

    static BeanType of(Object bean) {
        Class<?> type = bean.getClass();
        return Proxy.isProxyClass(type)
                ? new BeanType(type, ClassUtils.getUserClass(AopUtils.getTargetClass(bean)))
                : of(type);
    }

    /** The type of a bean that is called through a proxy. */
    static BeanType of(Class<?> proxy, Class<?> target) {
        return Proxy.isProxyClass(proxy)
                ? new BeanType(proxy, ClassUtils.getUserClass(target))
                : of(target);
    }

    List<Class<?>> classes() {
        return visible == target ? List.of(visible) : List.of(visible, target);
    }

    /** Whether this is the class of beans, and not what a class of beans implements or extends. */
    boolean isConcrete() {
        return Proxy.isProxyClass(visible) || !Modifier.isAbstract(visible.getModifiers());
    }

    /** Whether advice is given by a subclass, and not by another implementation of interfaces. */
    boolean isProxiedBySubclass() {
        return !Proxy.isProxyClass(visible)
                && !visible.isInterface()
                && !ClassUtils.isLambdaClass(visible);
    }
}
