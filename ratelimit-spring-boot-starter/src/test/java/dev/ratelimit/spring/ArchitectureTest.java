package dev.ratelimit.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.ratelimit.RateLimitStore;
import java.util.Set;

/** What must never depend on what. */
@AnalyzeClasses(
        packages = "dev.ratelimit.spring",
        importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /**
     * Classes and packages that have the same name in all supported lines of Spring Boot. Others
     * moved between 3.5 and 4.0, or may not be there.
     */
    private static final Set<String> STABLE_BOOT_CLASSES =
            Set.of(
                    "org.springframework.boot.autoconfigure.AutoConfiguration",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnBean",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnClass",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnProperty",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnThreading",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication",
                    "org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication$Type",
                    "org.springframework.boot.autoconfigure.condition.SearchStrategy",
                    "org.springframework.boot.autoconfigure.web.WebProperties",
                    "org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean",
                    "org.springframework.boot.convert.ApplicationConversionService",
                    "org.springframework.boot.convert.DurationStyle",
                    "org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint",
                    "org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure",
                    "org.springframework.boot.actuate.endpoint.Access",
                    "org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException",
                    "org.springframework.boot.actuate.endpoint.Producible",
                    "org.springframework.boot.actuate.endpoint.web.WebEndpointResponse");

    private static final Set<String> STABLE_BOOT_PACKAGES =
            Set.of(
                    "org.springframework.boot.actuate.endpoint.annotation",
                    "org.springframework.boot.context.properties",
                    "org.springframework.boot.context.properties.bind",
                    "org.springframework.boot.context.properties.source",
                    "org.springframework.boot.diagnostics");

    @ArchTest
    static final ArchRule only_the_auto_configuration_knows_a_concrete_store =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("..autoconfigure..", "..spring.redis..")
                    .should()
                    .dependOnClassesThat(
                            assignableTo(RateLimitStore.class)
                                    .and(DescribedPredicate.not(JavaClass.Predicates.INTERFACES)));

    @ArchTest
    static final ArchRule packages_form_no_cycle =
            slices().matching("dev.ratelimit.spring.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule what_users_touch_knows_nothing_of_how_it_is_done =
            noClasses()
                    .that()
                    .resideInAPackage("dev.ratelimit.spring")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.ratelimit.spring.*..");

    @ArchTest
    static final ArchRule rules_and_keys_do_not_know_who_uses_them =
            noClasses()
                    .that()
                    .resideInAnyPackage("..spring.rule..", "..spring.key..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "..spring.web..",
                            "..spring.method..",
                            "..spring.metrics..",
                            "..spring.redis..",
                            "..spring.actuate..");

    @ArchTest
    static final ArchRule requests_calls_meters_and_endpoint_do_not_know_each_other =
            slices().matching("dev.ratelimit.spring.(web|method|metrics|actuate)..")
                    .should()
                    .notDependOnEachOther();

    @ArchTest
    static final ArchRule nothing_needs_the_auto_configuration =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("..autoconfigure..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("..spring.autoconfigure..");

    @ArchTest
    static final ArchRule only_web_and_the_beans_that_users_write_need_servlets =
            noClasses()
                    .that(
                            resideInAnyPackage(
                                            "..spring.web..",
                                            "..spring.autoconfigure..",
                                            "dev.ratelimit.spring")
                                    .negate())
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("jakarta.servlet..", "org.springframework.web..");

    @ArchTest
    static final ArchRule only_one_package_needs_redis =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("..spring.redis..", "..spring.autoconfigure..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.springframework.data..",
                            "io.lettuce..",
                            "redis.clients..",
                            "..spring.redis..");

    @ArchTest
    static final ArchRule only_the_meters_need_micrometer =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("..spring.metrics..", "..spring.autoconfigure..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.micrometer..");

    @ArchTest
    static final ArchRule only_the_endpoint_needs_actuator =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("..spring.actuate..", "..spring.autoconfigure..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("org.springframework.boot.actuate..");

    @ArchTest
    static final ArchRule only_one_class_needs_spring_security =
            noClasses()
                    .that()
                    .doNotHaveSimpleName("SecurityCorsFilter")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("org.springframework.security..");

    @ArchTest
    static final ArchRule no_class_of_spring_boot_is_used_that_moves_between_its_lines =
            noClasses()
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("org.springframework.boot..")
                                    .and(
                                            describe(
                                                    "are not known to be stable",
                                                    type ->
                                                            !STABLE_BOOT_CLASSES.contains(
                                                                            type.getName())
                                                                    && !STABLE_BOOT_PACKAGES
                                                                            .contains(
                                                                                    type
                                                                                            .getPackageName()))));

    @ArchTest
    static final ArchRule jackson_is_left_to_the_application =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("com.fasterxml.jackson..", "tools.jackson..");
}
