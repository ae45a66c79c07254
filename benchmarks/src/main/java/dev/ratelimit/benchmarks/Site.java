package dev.ratelimit.benchmarks;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.springframework.boot.Banner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.mock.web.MockServletConfig;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** A Spring Boot application of one handler, up to the servlet container and without it. */
final class Site implements AutoCloseable {

    static final String PATH = "/api/search";

    private final ConfigurableApplicationContext context;
    private final DispatcherServlet servlet;

    private Site(SpringApplicationBuilder application) {
        MockServletContext container = new MockServletContext();
        context =
                application
                        .bannerMode(Banner.Mode.OFF)
                        .logStartupInfo(false)
                        .contextFactory(type -> new GenericWebApplicationContext(container))
                        .run();
        servlet = context.getBean(DispatcherServlet.class);
        try {
            servlet.init(new MockServletConfig(container, "dispatcherServlet"));
        } catch (ServletException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts the application with the starter configured by these properties. */
    static Site withProperties(String... properties) {
        return new Site(new SpringApplicationBuilder(Application.class).properties(properties));
    }

    /** Starts the application with an interceptor of its own, and the starter doing nothing. */
    static Site withInterceptor(HandlerInterceptor interceptor) {
        return new Site(
                new SpringApplicationBuilder(Application.class)
                        .properties("ratelimit.enabled=false")
                        .initializers(
                                (GenericWebApplicationContext context) ->
                                        context.registerBean(
                                                WebMvcConfigurer.class,
                                                () -> configurer(interceptor))));
    }

    private static WebMvcConfigurer configurer(HandlerInterceptor interceptor) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(interceptor);
            }
        };
    }

    void serve(StubRequest request, StubResponse response) throws ServletException, IOException {
        servlet.service(request, response);
    }

    @Override
    public void close() {
        context.close();
    }

    @EnableAutoConfiguration
    @RestController
    static class Application {

        @GetMapping(PATH)
        String search() {
            return "found";
        }
    }
}
