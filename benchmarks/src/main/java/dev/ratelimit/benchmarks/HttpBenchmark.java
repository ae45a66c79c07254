package dev.ratelimit.benchmarks;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One request through Spring MVC, which is answered with a word or refused: without a limit, under
 * rules of the starter as an application would have them, and under a limit in an interceptor that
 * is written by hand.
 *
 * <p>There is no servlet container, whose time would hide what is measured.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-Dlogging.level.root=off"})
public class HttpBenchmark {

    /** A site, and how it is to answer. */
    @State(Scope.Benchmark)
    public abstract static class TestedSite {

        private static final List<String> LIMIT =
                List.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
        private static final List<String> REFUSAL =
                List.of("Retry-After", "Cache-Control", "Content-Type", "Content-Length");

        @Param({"allowed", "rejected"})
        public String outcome;

        private Site site;

        abstract Site create();

        boolean isLimited() {
            return true;
        }

        boolean allowed() {
            return outcome.equals("allowed");
        }

        long requests() {
            return allowed() ? 1_000_000_000 : 1;
        }

        Duration window() {
            return allowed() ? Duration.ofSeconds(1) : Duration.ofDays(1);
        }

        /**
         * Spends what is not to be there, and checks that the answers are all that they should be.
         */
        @Setup
        public void start() throws ServletException, IOException {
            site = create();
            Visitor visitor = new Visitor();
            for (int i = 0; i < Visitor.ADDRESSES; i++) {
                StubResponse first = visitor.visit(site);
                if (first.getStatus() != 200 || !first.body().equals("found")) {
                    throw new IllegalStateException(first.getStatus() + " " + first.body());
                }
            }
            StubResponse second = visit(visitor);
            List<String> headers = new ArrayList<>(isLimited() ? LIMIT : List.of());
            headers.addAll(isLimited() && !allowed() ? REFUSAL : List.of());
            headers.removeIf(header -> second.getHeader(header) != null);
            if (!headers.isEmpty() || second.body().isEmpty()) {
                throw new IllegalStateException("Without " + headers + ": " + second.body());
            }
        }

        StubResponse visit(Visitor visitor) throws ServletException, IOException {
            StubResponse response = visitor.visit(site);
            int expected = isLimited() && !allowed() ? 429 : 200;
            if (response.getStatus() != expected) {
                throw new IllegalStateException("Status " + response.getStatus());
            }
            return response;
        }

        @TearDown
        public void stop() {
            site.close();
        }
    }

    @State(Scope.Benchmark)
    public static class Unlimited extends TestedSite {

        @Override
        Site create() {
            return Site.withProperties("ratelimit.enabled=false");
        }

        @Override
        boolean isLimited() {
            return false;
        }
    }

    @Benchmark
    public StubResponse noLimiter(Unlimited site, Visitor visitor)
            throws ServletException, IOException {
        return site.visit(visitor);
    }

    /** Rules by address for some path patterns, with the header fields that are the default. */
    @State(Scope.Benchmark)
    public abstract static class Ratelimit extends TestedSite {

        Site withRules(String... paths) {
            List<String> properties = new ArrayList<>();
            for (int i = 0; i < paths.length; i++) {
                String rule = "ratelimit.rules.rule-" + i;
                properties.add(rule + ".paths=" + paths[i]);
                properties.add(rule + ".strategy=token-bucket");
                properties.add(rule + ".requests=" + requests());
                properties.add(rule + ".window=" + window());
            }
            return Site.withProperties(properties.toArray(String[]::new));
        }
    }

    @State(Scope.Benchmark)
    public static class OneRule extends Ratelimit {

        @Override
        Site create() {
            return withRules("/api/**");
        }
    }

    @Benchmark
    public StubResponse oneRule(OneRule site, Visitor visitor)
            throws ServletException, IOException {
        return site.visit(visitor);
    }

    @State(Scope.Benchmark)
    public static class ThreeRules extends Ratelimit {

        @Override
        Site create() {
            return withRules("/api/**", "/api/search", "/**");
        }
    }

    @Benchmark
    public StubResponse threeRules(ThreeRules site, Visitor visitor)
            throws ServletException, IOException {
        return site.visit(visitor);
    }

    @State(Scope.Benchmark)
    public static class Bucket4j extends TestedSite {

        @Override
        Site create() {
            return Site.withInterceptor(new Bucket4jInterceptor(requests(), window()));
        }
    }

    @Benchmark
    public StubResponse bucket4j(Bucket4j site, Visitor visitor)
            throws ServletException, IOException {
        return site.visit(visitor);
    }
}
