package dev.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.actuate.RateLimitEndpoint;
import dev.ratelimit.spring.actuate.RuleDetails;
import dev.ratelimit.spring.actuate.RuleSummary;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.LimitProperties;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.LimitsProperties;
import dev.ratelimit.spring.autoconfigure.RateLimitProperties.RuleProperties;
import dev.ratelimit.spring.expression.CallRoot;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.RecordComponent;
import java.security.Principal;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/**
 * What a native image of an application is told, by the starter and by Spring about the starter.
 */
class RuntimeHintsTest {

    private static final RuntimeHints HINTS = new RuntimeHints();
    private static final ReflectionHintsPredicates REFLECTION = RuntimeHintsPredicates.reflection();

    @BeforeAll
    static void process() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Application.class);
        TestPropertyValues.of(
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=ratelimits")
                .applyTo(context);
        DefaultGenerationContext generated =
                new DefaultGenerationContext(
                        new ClassNameGenerator(ClassName.get(Application.class)),
                        new InMemoryGeneratedFiles(),
                        HINTS);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                RateLimitProperties.class,
                RateLimitProperties.Headers.class,
                RateLimitProperties.ClientIp.class,
                RateLimitProperties.InMemory.class,
                RateLimitProperties.Method.class,
                RateLimitProperties.Metrics.class,
                RuleProperties.class,
                LimitsProperties.class,
                LimitProperties.class
            })
    void properties_are_bound_to_their_records_and_checked_against_them(Class<?> type) {
        assertThat(REFLECTION.onConstructorInvocation(type.getDeclaredConstructors()[0]))
                .accepts(HINTS);
        assertComponentsAreRead(type);
    }

    private static void assertComponentsAreRead(Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            assertThat(REFLECTION.onMethodInvocation(component.getAccessor())).accepts(HINTS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                RateLimitEndpoint.AllRules.class,
                RateLimitEndpoint.Problem.class,
                RuleSummary.class,
                RuleSummary.LimitSummary.class,
                RuleDetails.class,
                RuleDetails.KeySummary.class
            })
    void what_the_endpoint_answers_is_written_as_json(Class<?> type) {
        assertComponentsAreRead(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "one", "reset", "update"})
    void the_operations_of_the_endpoint_are_called(String operation) {
        assertThat(REFLECTION.onMethodInvocation(RateLimitEndpoint.class, operation))
                .accepts(HINTS);
    }

    @Test
    void a_failure_of_the_start_is_explained() throws Exception {
        assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/spring.factories"))
                .accepts(HINTS);
        assertThat(
                        REFLECTION.onConstructorInvocation(
                                InvalidRuleFailureAnalyzer.class.getDeclaredConstructors()[0]))
                .accepts(HINTS);
    }

    @Test
    void expressions_see_the_request_the_user_and_the_address() {
        for (String getter : new String[] {"getRequest", "getPrincipal", "getIp"}) {
            assertThat(REFLECTION.onMethodInvocation(CallRoot.class, getter)).accepts(HINTS);
        }
        assertThat(REFLECTION.onMethodInvocation(HttpServletRequest.class, "getHeader"))
                .accepts(HINTS);
        assertThat(REFLECTION.onMethodInvocation(Principal.class, "getName")).accepts(HINTS);
        assertThat(REFLECTION.onMethodInvocation(String.class, "length")).accepts(HINTS);
        assertThat(
                        REFLECTION
                                .onType(org.apache.catalina.connector.RequestFacade.class)
                                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(HINTS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.reactivestreams.Publisher",
                "org.springframework.security.web.SecurityFilterChain"
            })
    void optional_libraries_are_found(String type) throws Exception {
        assertThat(REFLECTION.onType(Class.forName(type))).accepts(HINTS);
    }

    @ParameterizedTest
    @ValueSource(classes = {Converter.class, Base.class, Quotes.class})
    void annotated_methods_and_fallbacks_are_seen_where_they_are_declared(Class<?> type) {
        assertThat(
                        REFLECTION
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                .accepts(HINTS);
    }

    @Test
    void composed_annotations_are_read() {
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(RateLimited.class))
                .accepts(HINTS);
    }

    @Test
    void expressions_read_arguments_and_what_is_in_them() {
        assertThat(REFLECTION.onMethodInvocation(Order.class, "customer")).accepts(HINTS);
        assertThat(REFLECTION.onMethodInvocation(Customer.class, "getId")).accepts(HINTS);
    }

    @Test
    void beans_without_annotations_are_left_alone() {
        assertThat(
                        REFLECTION
                                .onType(Unlimited.class)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                .rejects(HINTS);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Converter converter() {
            return new Converter();
        }

        @Bean
        Unlimited unlimited() {
            return new Unlimited();
        }
    }

    interface Quotes {

        @RateLimited(requests = 1)
        String quote();
    }

    static class Base {

        @RateLimited(requests = 1)
        public void inherited() {}
    }

    static class Converter extends Base implements Quotes {

        @RateLimited(requests = 1, key = "#order.customer.id", fallback = "last")
        public String convert(Order order) {
            return "converted";
        }

        private String last(Order order) {
            return "last";
        }

        @Override
        public String quote() {
            return "quote";
        }
    }

    record Order(Customer customer) {}

    static class Customer {

        public String getId() {
            return "1";
        }
    }

    static class Unlimited {

        public void call() {}
    }
}
