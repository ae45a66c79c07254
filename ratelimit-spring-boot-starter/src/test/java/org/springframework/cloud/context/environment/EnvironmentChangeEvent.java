package org.springframework.cloud.context.environment;

import java.util.Set;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;

/** Stands for the event of Spring Cloud, which is known by its name only. */
@SuppressWarnings("serial")
public class EnvironmentChangeEvent extends ApplicationEvent {

    public EnvironmentChangeEvent(ApplicationContext context, Set<String> keys) {
        super(context);
    }
}
