package dev.ratelimit.spring.method;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The types of all beans, as far as they are known without making a bean. */
final class BeanTypes {

    private static final Log LOGGER = LogFactory.getLog(BeanTypes.class);

    private final ConfigurableListableBeanFactory beans;

    BeanTypes(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** The types of all beans by name. */
    Map<String, BeanType> all() {
        Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanDefinitionNames()));
        names.addAll(List.of(beans.getSingletonNames()));
        Map<String, BeanType> types = new HashMap<>();
        for (String name : names) {
            BeanType type = type(name);
            if (type != null) {
                types.put(name, type);
            }
        }
        return types;
    }

    private @Nullable BeanType type(String name) {
        Object bean = existing(name);
        if (bean != null) {
            return BeanType.of(bean);
        }
        try {
            Class<?> type = beans.getType(name, false);
            return type == null ? null : BeanType.of(type);
        } catch (BeansException | LinkageError e) {
            LOGGER.debug("The type of bean '" + name + "' is not known before it is made", e);
            return null;
        }
    }

    /** A bean that has been made; null if there is none yet, or a factory makes it. */
    @Nullable Object existing(String name) {
        if (!beans.containsSingleton(name) || beans.isCurrentlyInCreation(name)) {
            return null;
        }
        Object bean = beans.getSingleton(name);
        return bean instanceof FactoryBean || bean instanceof AopInfrastructureBean ? null : bean;
    }
}
