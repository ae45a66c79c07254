package dev.ratelimit.spring.web;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimited;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AuthenticationEntryPointFailureHandler;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.firewall.DefaultHttpFirewall;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** An application with Spring Security, in which ann has the password right. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableMethodSecurity
@Import({SecuredSite.Pages.class, SecuredSite.Views.class})
public class SecuredSite {

    static final String GOOD_ORIGIN = "https://good.example";

    @Bean
    ManualTimeSource timeSource() {
        return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Bean
    UserDetailsService users() {
        return name -> User.withUsername(name).password("{noop}right").roles("USER").build();
    }

    /** Lets as many spellings of a path pass as it can. */
    @Bean
    HttpFirewall firewall() {
        DefaultHttpFirewall firewall = new DefaultHttpFirewall();
        firewall.setAllowUrlEncodedSlash(true);
        return firewall;
    }

    @Bean
    @Order(1)
    SecurityFilterChain corsByBean(HttpSecurity http) throws Exception {
        return http.securityMatcher("/cors/*/security-bean")
                .cors(Customizer.withDefaults())
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .build();
    }

    @Bean
    UrlBasedCorsConfigurationSource corsConfigurationSource() {
        UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
        source.registerCorsConfiguration("/cors/*/security-bean", goodOrigin());
        return source;
    }

    private static CorsConfiguration goodOrigin() {
        CorsConfiguration configuration = new CorsConfiguration();
        configuration.setAllowedOrigins(List.of(GOOD_ORIGIN));
        configuration.setExposedHeaders(List.of("X-Mine"));
        return configuration;
    }

    @Bean
    @Order(2)
    SecurityFilterChain others(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable())
                .cors(
                        cors ->
                                cors.configurationSource(
                                        request ->
                                                request.getRequestURI().endsWith("/security-own")
                                                        ? goodOrigin()
                                                        : null))
                .httpBasic(Customizer.withDefaults())
                .formLogin(
                        form ->
                                form.failureHandler(
                                        new AuthenticationEntryPointFailureHandler(
                                                new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED))))
                .authorizeHttpRequests(
                        requests ->
                                requests.dispatcherTypeMatchers(
                                                DispatcherType.ASYNC, DispatcherType.FORWARD)
                                        .permitAll()
                                        .requestMatchers("/before/**", "/after/**", "/tenants/**")
                                        .authenticated()
                                        .anyRequest()
                                        .permitAll())
                .build();
    }

    @Bean
    WebMvcConfigurer mvc() {
        return new WebMvcConfigurer() {
            @Override
            public void addCorsMappings(CorsRegistry registry) {
                registry.addMapping("/cors/*/mvc").allowedOrigins(GOOD_ORIGIN);
            }
        };
    }

    @RestController
    static class Pages {

        @GetMapping({
            "/before/**",
            "/after/**",
            "/tenants/**",
            "/cors/{phase}/mvc",
            "/cors/{phase}/security-bean",
            "/cors/{phase}/security-own",
            "/{phase}/ok",
            "/{phase}/refused",
            "/only-failures/by-path"
        })
        String ok() {
            return "ok";
        }

        @CrossOrigin(GOOD_ORIGIN)
        @GetMapping("/cors/{phase}/annotated")
        String crossOrigin() {
            return "ok";
        }

        @RateLimited("named")
        @GetMapping({"/named/by-path", "/named/by-annotation"})
        String named() {
            return "ok";
        }

        @RateLimited("only-failures")
        @GetMapping("/only-failures/by-annotation")
        String onlyFailures() {
            return "ok";
        }

        @PreAuthorize("hasRole('ADMIN')")
        @GetMapping("/{phase}/forbidden")
        String forbidden() {
            return "never";
        }

        @GetMapping("/{phase}/thrown")
        String thrown() {
            throw new IllegalStateException("thrown for a test");
        }

        @GetMapping("/{phase}/conflict")
        String conflict() {
            throw new Conflict();
        }

        @GetMapping("/{phase}/sent")
        void sent(HttpServletResponse response) throws IOException {
            response.sendError(418);
        }

        @GetMapping("/{phase}/callable")
        Callable<String> callable() {
            return () -> "ok";
        }

        @GetMapping("/{phase}/callable-thrown")
        Callable<String> callableThrown() {
            return () -> {
                throw new IllegalStateException("thrown for a test");
            };
        }

        @GetMapping("/{phase}/future-conflict")
        CompletableFuture<String> futureConflict() {
            return CompletableFuture.failedFuture(new Conflict());
        }

        @GetMapping("/{phase}/timeout")
        DeferredResult<String> timeout() {
            return new DeferredResult<>(1L);
        }

        @GetMapping("/{phase}/stream")
        StreamingResponseBody stream() {
            return out -> out.write('k');
        }

        @GetMapping("/{phase}/events")
        SseEmitter events() {
            SseEmitter emitter = new SseEmitter();
            CompletableFuture.runAsync(emitter::complete);
            return emitter;
        }

        /** Asynchronous once more after it was dispatched. */
        @GetMapping("/{phase}/restarted")
        void restarted(HttpServletRequest request) {
            AsyncContext context = request.startAsync();
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                context.dispatch();
            } else {
                context.start(context::complete);
            }
        }

        @ResponseStatus(HttpStatus.CONFLICT)
        static final class Conflict extends RuntimeException {

            private static final long serialVersionUID = 1L;
        }
    }

    @Controller
    static class Views {

        @GetMapping("/{phase}/to-missing")
        String toMissing() {
            return "forward:/missing";
        }

        @GetMapping("/forward-to-limited")
        String forward() {
            return "forward:/before-statuses/ok";
        }

        @GetMapping("/late-forward-to-limited")
        Callable<String> lateForward() {
            return () -> "forward:/after-statuses/ok";
        }

        @GetMapping("/{phase}/ok-view")
        @ResponseBody
        String view() {
            return "ok";
        }
    }
}
