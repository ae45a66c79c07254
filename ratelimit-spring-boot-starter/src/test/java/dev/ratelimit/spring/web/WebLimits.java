package dev.ratelimit.spring.web;

import dev.ratelimit.ManualTimeSource;
import dev.ratelimit.spring.RateLimitKeyResolver;
import dev.ratelimit.spring.RateLimited;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** An application with something to limit of each kind; its clock stands still. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
    WebLimits.Api.class,
    WebLimits.Errors.class,
    WebLimits.Async.class,
    WebLimits.Dispatches.class,
    WebLimits.Responses.class,
    WebLimits.CrossOrigins.class,
    WebLimits.Annotated.class,
    WebLimits.Service.class,
    WebLimits.SwallowsEverything.class,
    WebLimits.HandlesOne.class
})
public class WebLimits {

    @Bean
    ManualTimeSource timeSource() {
        return new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Bean
    Hits hits() {
        return new Hits();
    }

    @Bean
    RateLimitKeyResolver tenantOf() {
        return request -> request.getHeader("X-Tenant");
    }

    @Bean
    RouterFunction<ServerResponse> functions() {
        return RouterFunctions.route()
                .GET("/refused/function", request -> ServerResponse.ok().body("function"))
                .build();
    }

    /** Stands for an authentication: the user is who the client says. */
    @Bean
    OncePerRequestFilter users() {
        return new OncePerRequestFilter() {
            @Override
            protected void doFilterInternal(
                    HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                    throws ServletException, IOException {
                String user = request.getHeader("X-User");
                Principal principal = user == null ? null : () -> user;
                if (request.getRequestURI().equals("/responses/committed")) {
                    response.getOutputStream().print("early");
                    response.flushBuffer();
                }
                chain.doFilter(
                        new HttpServletRequestWrapper(request) {
                            @Override
                            public Principal getUserPrincipal() {
                                return principal;
                            }
                        },
                        response);
            }
        };
    }

    @Bean
    WebMvcConfigurer mvc() {
        return new WebMvcConfigurer() {
            @Override
            public void addCorsMappings(CorsRegistry registry) {
                registry.addMapping("/cors/global/**")
                        .allowedOrigins("https://good.example")
                        .exposedHeaders("X-Mine");
            }
        };
    }

    /** How often each handler was called. */
    public static final class Hits {

        private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

        void hit(String handler) {
            counts.computeIfAbsent(handler, key -> new AtomicInteger()).incrementAndGet();
        }

        /** Since this was last asked. */
        public int take(String handler) {
            AtomicInteger count = counts.remove(handler);
            return count == null ? 0 : count.get();
        }
    }

    @RestController
    static class Api {

        private final Hits hits;

        Api(Hits hits) {
            this.hits = hits;
        }

        @RequestMapping({
            "/search",
            "/head",
            "/both/**",
            "/a",
            "/b",
            "/x",
            "/two",
            "/at-once",
            "/tokens",
            "/slow-tokens",
            "/wait/*",
            "/refused",
            "/refused/**",
            "/address",
            "/api-key",
            "/session",
            "/cookie",
            "/query",
            "/resolver",
            "/by-user",
            "/expensive",
            "/conditions/*"
        })
        String any(HttpServletRequest request) {
            hits.hit(request.getRequestURI());
            return "ok";
        }

        @GetMapping({"/api/clients", "/api/clients/", "/api/big-clients"})
        String clients() {
            hits.hit("clients");
            return "ok";
        }

        @RequestMapping("/api/items/{id}")
        String item(@PathVariable String id) {
            hits.hit("item");
            return id;
        }

        @GetMapping("/shops/{shop}/items")
        String shopItems(@PathVariable String shop) {
            return shop;
        }

        @GetMapping("/shops/**")
        String shops() {
            return "ok";
        }

        @GetMapping("/login")
        String login(HttpServletRequest request) {
            return request.getSession().getId();
        }
    }

    @RestController
    static class Errors {

        @GetMapping("/errors/thrown")
        String thrown() {
            throw new IllegalStateException("thrown for a test");
        }

        @GetMapping("/errors/handled")
        String handled() {
            throw new UnsupportedOperationException("thrown for a test");
        }

        @GetMapping("/errors/sent")
        void sent(HttpServletResponse response) throws IOException {
            response.sendError(418);
        }
    }

    @RestController
    static class Async {

        private final Service service;

        Async(Service service) {
            this.service = service;
        }

        @GetMapping("/async/callable")
        Callable<String> callable() {
            return () -> "ok";
        }

        @GetMapping("/async/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            CompletableFuture.runAsync(() -> result.setResult("ok"));
            return result;
        }

        @GetMapping("/async/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(() -> "ok");
        }

        @GetMapping("/async/events")
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

        @GetMapping("/async/stream")
        StreamingResponseBody stream() {
            return out -> out.write('k');
        }

        @GetMapping("/async/limited-future")
        CompletableFuture<String> limitedFuture() {
            return CompletableFuture.supplyAsync(service::twice);
        }

        @GetMapping("/async/limited-callable")
        Callable<String> limitedCallable() {
            return service::twice;
        }
    }

    @Controller
    static class Dispatches {

        @GetMapping("/forward")
        String forward() {
            return "forward:/target";
        }

        @GetMapping("/forward-again")
        String forwardAgain() {
            return "forward:/target";
        }

        @GetMapping("/target")
        @ResponseBody
        String target() {
            return "target";
        }

        @GetMapping("/including/page")
        void including(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            RequestDispatcher part = request.getRequestDispatcher("/including/part");
            part.include(request, response);
            part.include(request, response);
        }

        @GetMapping("/including/part")
        @ResponseBody
        String part() {
            return "part";
        }
    }

    @RestController
    static class Responses {

        @GetMapping("/responses/void")
        void nothing() {}

        @GetMapping("/responses/entity")
        ResponseEntity<String> entity() {
            return ResponseEntity.status(201).body("created");
        }

        @GetMapping("/responses/redirect")
        ResponseEntity<Void> redirect() {
            return ResponseEntity.status(302).header("Location", "/elsewhere").build();
        }

        @GetMapping("/responses/not-modified")
        ResponseEntity<Void> notModified() {
            return ResponseEntity.status(304).eTag("\"1\"").build();
        }

        @GetMapping("/responses/committed")
        String committed() {
            return "late";
        }

        @GetMapping("/responses/emptied")
        void emptied(HttpServletResponse response) throws IOException {
            response.reset();
            response.sendError(409);
        }
    }

    @RestController
    static class CrossOrigins {

        @GetMapping("/cors/global")
        String global() {
            return "ok";
        }

        @CrossOrigin("https://good.example")
        @GetMapping("/cors/annotated")
        String annotated() {
            return "ok";
        }
    }

    @RestController
    static class Annotated {

        private final Service service;

        Annotated(Service service) {
            this.service = service;
        }

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        @GetMapping("/annotated/a/{id}")
        String a(@PathVariable String id) {
            return id;
        }

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        @GetMapping("/annotated/b/{id}")
        String b(@PathVariable String id) {
            return id;
        }

        @RateLimited("shared")
        @RateLimited(requests = 5, unit = TimeUnit.MINUTES, name = "mine")
        @GetMapping("/shared/annotated")
        String annotated() {
            return "ok";
        }

        @RateLimited("shared")
        @GetMapping("/shared/same")
        String same() {
            return service.shared();
        }

        @RateLimited(requests = 3, unit = TimeUnit.MINUTES)
        @RateLimited(requests = 3, unit = TimeUnit.HOURS)
        @GetMapping("/annotated/twice")
        String unnamed() {
            return "ok";
        }

        @GetMapping("/service/direct")
        String direct() {
            return service.twice();
        }

        @GetMapping(value = "/service/half", produces = MediaType.TEXT_HTML_VALUE)
        void half(HttpServletResponse response) throws IOException {
            response.setContentType("text/html;charset=UTF-8");
            response.getWriter().write("<p>half a page");
            service.twice();
        }

        @RateLimited(requests = 10, unit = TimeUnit.MINUTES)
        @GetMapping("/service/after-own")
        String afterOwn() {
            return service.twice();
        }
    }

    static class Service {

        @RateLimited(requests = 2, unit = TimeUnit.MINUTES, key = "global")
        public String twice() {
            return "ok";
        }

        @RateLimited("shared")
        public String shared() {
            return "ok";
        }
    }

    /** Answers everything that gets there. */
    @ControllerAdvice(assignableTypes = {Async.class, Annotated.class})
    static class SwallowsEverything {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> handle(Exception e) {
            return ResponseEntity.status(500).body("swallowed");
        }
    }

    @ControllerAdvice(assignableTypes = Errors.class)
    static class HandlesOne {

        @ExceptionHandler(UnsupportedOperationException.class)
        ResponseEntity<String> handle(UnsupportedOperationException e) {
            return ResponseEntity.status(422).body("handled");
        }
    }
}
