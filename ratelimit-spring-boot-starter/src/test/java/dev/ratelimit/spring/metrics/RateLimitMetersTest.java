package dev.ratelimit.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.TestRules;
import dev.ratelimit.spring.rule.Outcome;
import dev.ratelimit.spring.rule.Rule;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RateLimitMetersTest {

    private final TestRules test = new TestRules();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<RateLimitMeters> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(RateLimitMeters::close);
        test.close();
    }

    @Test
    void decisions_are_counted_by_rule_and_outcome() {
        bind(registry, 0);
        Rule search = test.add("search", 3);
        Rule login = test.add("login", 1);

        test.call(search, "192.0.2.1", 5);
        test.call(login, "192.0.2.1", 1);

        assertThat(requests("search", "allowed")).isEqualTo(3);
        assertThat(requests("search", "rejected")).isEqualTo(2);
        assertThat(requests("search", "store-failure")).isZero();
        assertThat(requests("login", "allowed")).isEqualTo(1);
        assertThat(requests("login", "rejected")).isZero();
    }

    @Test
    void a_failure_of_the_store_is_counted_as_such() {
        bind(registry, 0);
        Rule search = test.add("search", 3);
        search.counters().count(Outcome.STORE_FAILURE);

        assertThat(requests("search", "store-failure")).isEqualTo(1);
    }

    @Test
    void rules_that_are_there_and_rules_that_come_later_have_all_their_meters() {
        test.add("early", 1);
        bind(registry, 10);
        test.add("late", 1);

        for (String rule : List.of("early", "late")) {
            assertThat(
                            registry.getMeters().stream()
                                    .map(Meter::getId)
                                    .filter(id -> rule.equals(id.getTag("rule")))
                                    .map(RateLimitMetersTest::nameAndTags))
                    .containsExactlyInAnyOrder(
                            "ratelimit.requests{outcome=allowed, rule=" + rule + "}",
                            "ratelimit.requests{outcome=rejected, rule=" + rule + "}",
                            "ratelimit.requests{outcome=shadow-rejected, rule=" + rule + "}",
                            "ratelimit.requests{outcome=exempt, rule=" + rule + "}",
                            "ratelimit.requests{outcome=store-failure, rule=" + rule + "}",
                            "ratelimit.overflow{rule=" + rule + "}",
                            "ratelimit.buckets{rule=" + rule + "}");
        }
    }

    private static String nameAndTags(Meter.Id id) {
        return id.getName()
                + id.getTags().stream()
                        .map(tag -> tag.getKey() + "=" + tag.getValue())
                        .sorted()
                        .collect(Collectors.joining(", ", "{", "}"));
    }

    @Test
    void the_gauge_of_buckets_counts_keys() {
        bind(registry, 0);
        Rule search = test.add("search", 3);

        test.call(search, "192.0.2.1", 2);
        test.call(search, "192.0.2.2", 2);

        assertThat(registry.get("ratelimit.buckets").tag("rule", "search").gauge().value())
                .isEqualTo(2);
    }

    /** C53. */
    @Test
    void decisions_on_shared_buckets_are_counted_as_overflow() {
        bind(registry, 0);
        Rule search = test.add("search", 3);
        for (int i = 0; i < TestRules.MAX_KEYS; i++) {
            test.call(search, "key " + i, 1);
        }
        assertThat(overflow()).isZero();

        test.call(search, "one more", 2);

        assertThat(overflow()).isEqualTo(2);
    }

    @Test
    void what_was_counted_before_a_registry_came_is_in_its_meters() {
        Rule search = test.add("search", 3);
        for (int i = 0; i < TestRules.MAX_KEYS + 2; i++) {
            test.call(search, "key " + i, 1);
        }

        bind(registry, 0);

        assertThat(requests("search", "allowed")).isEqualTo(TestRules.MAX_KEYS + 2);
        assertThat(overflow()).isEqualTo(2);
    }

    private double overflow() {
        return registry.get("ratelimit.overflow").tag("rule", "search").counter().count();
    }

    @Test
    void the_busiest_buckets_have_a_gauge_of_what_they_have_left() {
        RateLimitMeters meters = bind(registry, 2);
        Rule search = test.add("search", 9);
        test.call(search, "192.0.2.1", 4);
        test.call(search, "192.0.2.2", 12);
        test.call(search, "192.0.2.3", 1);

        refreshLater(meters);
        assertThat(remaining()).isEqualTo(Map.of("192.0.2.1", 5.0, "192.0.2.2", 0.0));

        test.call(search, "192.0.2.1", 1);
        assertThat(remaining()).containsEntry("192.0.2.1", 4.0);
        test.time.advance(Duration.ofHours(1));
        assertThat(remaining()).isEqualTo(Map.of("192.0.2.1", 9.0, "192.0.2.2", 9.0));
    }

    @Test
    void which_buckets_have_a_gauge_changes_every_ten_seconds_at_most() {
        RateLimitMeters meters = bind(registry, 2);
        Rule search = test.add("search", 100);
        test.call(search, "192.0.2.1", 1);
        meters.refresh();
        test.call(search, "192.0.2.2", 2);
        test.call(search, "192.0.2.3", 3);

        meters.refresh();
        test.time.advance(Duration.ofNanos(9_999_999_999L));
        meters.refresh();
        assertThat(remaining()).containsOnlyKeys("192.0.2.1");

        test.time.advance(Duration.ofNanos(1));
        meters.refresh();
        assertThat(remaining()).containsOnlyKeys("192.0.2.2", "192.0.2.3");
    }

    @Test
    void there_are_never_more_gauges_than_allowed_not_even_while_they_change() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        registry.config()
                .onMeterAdded(
                        meter -> {
                            if (meter.getId().getName().equals("ratelimit.bucket.remaining")) {
                                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                            }
                        })
                .onMeterRemoved(meter -> now.decrementAndGet());
        RateLimitMeters meters = bind(registry, 3);
        Rule search = test.add("search", 100);

        for (int i = 0; i < 30; i++) {
            test.call(search, "192.0.2." + i, 1 + i);
            refreshLater(meters);
        }

        assertThat(most).hasValue(3);
        assertThat(remaining()).containsOnlyKeys("192.0.2.27", "192.0.2.28", "192.0.2.29");
    }

    @Test
    void each_rule_has_its_own_busiest_buckets() {
        RateLimitMeters meters = bind(registry, 1);
        Rule search = test.add("search", 9);
        Rule login = test.add("login", 5);
        test.call(search, "192.0.2.1", 4);
        test.call(login, "192.0.2.1", 4);

        meters.refresh();

        assertThat(registry.find("ratelimit.bucket.remaining").gauges())
                .extracting(gauge -> nameAndTags(gauge.getId()) + gauge.value())
                .containsExactlyInAnyOrder(
                        "ratelimit.bucket.remaining{bucket=192.0.2.1, rule=search}5.0",
                        "ratelimit.bucket.remaining{bucket=192.0.2.1, rule=login}1.0");
    }

    @Test
    void no_bucket_has_a_gauge_if_there_shall_be_none() {
        RateLimitMeters meters = bind(registry, 0);
        test.call(test.add("search", 9), "192.0.2.1", 4);

        meters.refresh();

        assertThat(remaining()).isEmpty();
    }

    @Test
    void the_gauges_follow_by_themselves_without_a_scrape_or_a_request() throws Exception {
        bind(registry, 2);
        test.call(test.add("search", 9), "192.0.2.1", 4);

        for (int i = 0; i < 100 && remaining().isEmpty(); i++) {
            Thread.sleep(50);
        }

        assertThat(remaining()).isEqualTo(Map.of("192.0.2.1", 5.0));
    }

    @Test
    void closing_ends_the_thread() throws Exception {
        RateLimitMeters meters = bind(registry, 2);
        long before = threads();

        meters.close();

        for (int i = 0; i < 100 && threads() == before; i++) {
            Thread.sleep(10);
        }
        assertThat(threads()).isEqualTo(before - 1);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ratelimit-meters"))
                .count();
    }

    /** C128. */
    @Test
    void what_clients_send_adds_no_meters_beyond_the_gauges() {
        RateLimitMeters meters = bind(registry, 10);
        Rule search = test.add("search", 1);
        for (int i = 0; i < 10; i++) {
            test.call(search, "192.0.2." + i, 3);
        }
        refreshLater(meters);
        int before = registry.getMeters().size();
        assertThat(remaining()).hasSize(10);

        for (int i = 0; i < 100_000; i++) {
            test.call(search, "key " + i, 1);
            if (i % 1_000 == 0) {
                refreshLater(meters);
            }
        }

        assertThat(registry.getMeters()).hasSize(before);
    }

    /** C130. */
    @Test
    void no_value_is_lost_to_the_garbage_collector() throws Exception {
        RateLimitMeters meters = bind(registry, 2);
        test.call(test.add("search", 3), "192.0.2.1", 5);
        meters.refresh();

        // Nothing but the registry may be needed to hold what the meters read.
        opened.clear();
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(20);
        }
        test.call(test.rules.all().iterator().next(), "192.0.2.1", 1);

        assertThat(requests("search", "allowed")).isEqualTo(3);
        assertThat(requests("search", "rejected")).isEqualTo(3);
        assertThat(registry.get("ratelimit.buckets").gauge().value()).isEqualTo(1);
        assertThat(remaining()).isEqualTo(Map.of("192.0.2.1", 0.0));
        meters.close();
    }

    @Test
    void several_registries_and_applications_in_one_process_do_not_meet() {
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        SimpleMeterRegistry others = new SimpleMeterRegistry();
        RateLimitMeters meters = bind(registry, 2);
        meters.bindTo(second);
        try (TestRules other = new TestRules()) {
            RateLimitMeters otherMeters = new RateLimitMeters(other.rules, other.time, 2);
            otherMeters.bindTo(others);
            opened.add(otherMeters);
            test.call(test.add("search", 9), "192.0.2.1", 4);
            other.call(other.add("search", 9), "192.0.2.1", 1);
            meters.refresh();
            otherMeters.refresh();

            assertThat(remaining(registry)).containsEntry("192.0.2.1", 5.0);
            assertThat(remaining(second)).containsEntry("192.0.2.1", 5.0);
            assertThat(remaining(others)).containsEntry("192.0.2.1", 8.0);
        }
    }

    @Test
    void prometheus_shows_all_of_it() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        RateLimitMeters meters = bind(prometheus, 2);
        test.call(test.add("search", 3), "192.0.2.1", 5);
        test.call(test.add("login", 3), "192.0.2.2", 1);
        meters.refresh();

        assertThat(prometheus.scrape().lines().filter(line -> !line.startsWith("#")))
                .containsExactlyInAnyOrder(
                        "ratelimit_requests_total{outcome=\"allowed\",rule=\"search\"} 3.0",
                        "ratelimit_requests_total{outcome=\"rejected\",rule=\"search\"} 2.0",
                        "ratelimit_requests_total{outcome=\"store-failure\",rule=\"search\"} 0.0",
                        "ratelimit_requests_total{outcome=\"shadow-rejected\",rule=\"search\"} 0.0",
                        "ratelimit_requests_total{outcome=\"exempt\",rule=\"search\"} 0.0",
                        "ratelimit_requests_total{outcome=\"allowed\",rule=\"login\"} 1.0",
                        "ratelimit_requests_total{outcome=\"rejected\",rule=\"login\"} 0.0",
                        "ratelimit_requests_total{outcome=\"store-failure\",rule=\"login\"} 0.0",
                        "ratelimit_requests_total{outcome=\"shadow-rejected\",rule=\"login\"} 0.0",
                        "ratelimit_requests_total{outcome=\"exempt\",rule=\"login\"} 0.0",
                        "ratelimit_overflow_total{rule=\"search\"} 0.0",
                        "ratelimit_overflow_total{rule=\"login\"} 0.0",
                        "ratelimit_buckets{rule=\"search\"} 1.0",
                        "ratelimit_buckets{rule=\"login\"} 1.0",
                        "ratelimit_bucket_remaining{bucket=\"192.0.2.1\",rule=\"search\"} 0.0",
                        "ratelimit_bucket_remaining{bucket=\"192.0.2.2\",rule=\"login\"} 2.0");
    }

    /** C71. */
    @Test
    void a_secret_is_shown_by_its_hash() {
        RateLimitMeters meters = bind(registry, 2);
        Rule reports =
                test.add(
                        "reports",
                        "header:X-Api-Key",
                        TestRules.fixedWindow(3, Duration.ofHours(1)));
        test.call(reports, "sk_live_SECRET", 5);

        meters.refresh();

        assertThat(remaining()).hasSize(1).containsValue(0.0);
        assertThat(remaining().keySet().iterator().next()).doesNotContain("SECRET");
    }

    private RateLimitMeters bind(MeterRegistry to, int bucketGauges) {
        RateLimitMeters meters = new RateLimitMeters(test.rules, test.time, bucketGauges);
        opened.add(meters);
        meters.bindTo(to);
        return meters;
    }

    /** Whatever the thread of the meters has done meanwhile. */
    private void refreshLater(RateLimitMeters meters) {
        test.time.advance(Duration.ofSeconds(10));
        meters.refresh();
    }

    private double requests(String rule, String outcome) {
        return registry.get("ratelimit.requests")
                .tags("rule", rule, "outcome", outcome)
                .counter()
                .count();
    }

    private Map<String, Double> remaining() {
        return remaining(registry);
    }

    private static Map<String, Double> remaining(MeterRegistry registry) {
        return registry.find("ratelimit.bucket.remaining").gauges().stream()
                .collect(
                        Collectors.toMap(
                                gauge -> String.valueOf(gauge.getId().getTag("bucket")),
                                Gauge::value));
    }
}
