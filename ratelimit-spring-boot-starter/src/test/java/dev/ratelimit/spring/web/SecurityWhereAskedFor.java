package dev.ratelimit.spring.web;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves Spring Security out of the applications of tests, which would have to log in, unless the
 * property {@code test.security} is true.
 */
public final class SecurityWhereAskedFor
        implements AutoConfigurationImportFilter, EnvironmentAware {

    private boolean wanted;

    @Override
    public void setEnvironment(Environment environment) {
        wanted = environment.getProperty("test.security", Boolean.class, false);
    }

    @Override
    public boolean[] match(String[] autoConfigurations, AutoConfigurationMetadata metadata) {
        boolean[] matches = new boolean[autoConfigurations.length];
        for (int i = 0; i < matches.length; i++) {
            String name = autoConfigurations[i];
            matches[i] =
                    wanted
                            || name == null
                            || !name.startsWith("org.springframework.boot.security.");
        }
        return matches;
    }
}
