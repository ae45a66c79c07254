package dev.ratelimit.compat;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimitConfigurer;
import dev.ratelimit.spring.RateLimitExceededException;
import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.RateLimited;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AliasFor;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** An application that uses each part of the starter; its clock stands still. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
    CompatApplication.Pages.class,
    CompatApplication.Kinds.class,
    CompatApplication.Annotated.class,
    CompatApplication.Calls.class,
    CompatApplication.Converter.class,
    CompatApplication.WholeType.class,
    CompatApplication.SwallowsEverything.class
})
public class CompatApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(CompatApplication.class, arguments);
    }

    @Bean
    ManualTimeSource timeSource() {
        return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Bean
    RateLimitKeyResolver planOf() {
        return request -> request.getHeader("X-Plan");
    }

    @Bean
    RateLimitConfigurer javaRules() {
        return rules -> rules.rule("in-java").path("/in-java").limit("ip", 1, 1, TimeUnit.MINUTES);
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable())
                .cors(Customizer.withDefaults())
                .httpBasic(Customizer.withDefaults())
                .authorizeHttpRequests(
                        requests ->
                                requests.requestMatchers("/members/**", "/vault")
                                        .authenticated()
                                        .anyRequest()
                                        .permitAll())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("ann").password("{noop}secret").build(),
                User.withUsername("batch").password("{noop}secret").build());
    }

    @Bean
    WebMvcConfigurer crossOrigins() {
        return new WebMvcConfigurer() {
            @Override
            public void addCorsMappings(CorsRegistry registry) {
                registry.addMapping("/cors/global").allowedOrigins("https://good.example");
            }
        };
    }

    /** A JDK proxy, such as a client of another service that only has an interface. */
    @Bean
    Quotes quotes() {
        MethodInterceptor quote = call -> "a quote";
        return ProxyFactory.getProxy(Quotes.class, quote);
    }

    @RestController
    static class Pages {

        @GetMapping({
            "/search",
            "/search/{text}",
            "/two-limits",
            "/members/{name}",
            "/vault",
            "/by-header",
            "/shops/{shop}",
            "/target",
            "/when",
            "/permits",
            "/shadow",
            "/plans",
            "/operated",
            "/in-java",
            "/cors/global"
        })
        String page() {
            return "ok";
        }

        @CrossOrigin("https://good.example")
        @GetMapping("/cors/annotated")
        String annotated() {
            return "ok";
        }

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().getClass().getName();
        }
    }

    @Controller
    static class Kinds {

        @GetMapping("/kinds/callable")
        @ResponseBody
        Callable<String> callable() {
            return () -> "ok";
        }

        @GetMapping("/kinds/events")
        SseEmitter events() {
            SseEmitter emitter = new SseEmitter();
            CompletableFuture.runAsync(
                    () -> {
                        try {
                            emitter.send("ok");
                            emitter.complete();
                        } catch (IOException e) {
                            emitter.completeWithError(e);
                        }
                    });
            return emitter;
        }

        @GetMapping("/kinds/thrown")
        void thrown() {
            throw new UnsupportedOperationException("thrown for a test");
        }

        @GetMapping("/kinds/sent")
        void sent(HttpServletResponse response) throws IOException {
            response.sendError(418);
        }

        @GetMapping("/forward")
        String forward() {
            return "forward:/target";
        }
    }

    /** What is annotated in a controller, and calls of what is annotated elsewhere. */
    @RestController
    static class Annotated {

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        @GetMapping("/annotated/handler")
        String handler() {
            return "ok";
        }

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        @RateLimited(requests = 1, unit = TimeUnit.SECONDS)
        @GetMapping("/annotated/twice")
        String twice() {
            return "ok";
        }

        @RateLimited("named")
        @GetMapping("/annotated/named")
        String named() {
            return "ok";
        }
    }

    @RestController
    static class Calls {

        private final Converter converter;
        private final WholeType wholeType;
        private final Quotes quotes;

        Calls(Converter converter, WholeType wholeType, Quotes quotes) {
            this.converter = converter;
            this.wholeType = wholeType;
            this.quotes = quotes;
        }

        @GetMapping("/calls/converter")
        String converter() {
            return converter.convert();
        }

        @GetMapping("/calls/rate/{code}")
        String rate(@PathVariable String code) {
            return converter.rate(code);
        }

        @GetMapping("/calls/composed")
        String composed() {
            return converter.composed();
        }

        @GetMapping("/calls/type-first")
        String first() {
            return wholeType.first();
        }

        @GetMapping("/calls/type-second")
        String second() {
            return wholeType.second();
        }

        @GetMapping("/calls/interface")
        String quote() {
            return quotes.quote();
        }
    }

    static class Converter {

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        public String convert() {
            return "ok";
        }

        @RateLimited(
                requests = 6,
                unit = TimeUnit.MINUTES,
                key = "#code",
                permits = "#code.length()",
                fallback = "lastRate")
        public String rate(String code) {
            return "rate of " + code;
        }

        private String lastRate(String code, RateLimitExceededException refusal) {
            return "last rate of " + code + ", for " + refusal.ruleName() + " is exceeded";
        }

        @OncePer(minutes = 5)
        public String composed() {
            return "ok";
        }
    }

    @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "global", name = "whole-type")
    static class WholeType {

        public String first() {
            return "ok";
        }

        public String second() {
            return "ok";
        }
    }

    interface Quotes {

        @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
        String quote();
    }

    /** An annotation of the application's own. */
    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(requests = 1, unit = TimeUnit.MINUTES)
    @interface OncePer {

        @AliasFor(annotation = RateLimited.class, attribute = "window")
        long minutes();
    }

    /** As applications have one: it must not get what is the starter's. */
    @RestControllerAdvice(assignableTypes = {Kinds.class, Calls.class})
    static class SwallowsEverything {

        @ExceptionHandler(Exception.class)
        String handle(Exception e, HttpServletResponse response) {
            response.setStatus(422);
            return "swallowed";
        }
    }
}
