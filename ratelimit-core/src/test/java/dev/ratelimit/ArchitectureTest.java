package dev.ratelimit;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What must not depend on what. */
@AnalyzeClasses(packages = "dev.ratelimit", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule the_core_needs_nothing_but_java_and_annotations =
            classes()
                    .should()
                    .onlyDependOnClassesThat(
                            resideInAnyPackage("dev.ratelimit..", "java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule the_core_does_no_input_or_output =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.net..", "java.nio..", "java.sql..", "javax..")
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("java.io.File")
                    .orShould()
                    .dependOnClassesThat(
                            assignableTo(java.io.InputStream.class)
                                    .or(assignableTo(java.io.OutputStream.class))
                                    .or(assignableTo(java.io.Reader.class))
                                    .or(assignableTo(java.io.Writer.class)));

    @ArchTest
    static final ArchRule strategies_are_told_the_time =
            noClasses()
                    .that()
                    .areAssignableTo(RateLimitStrategy.class)
                    .should()
                    .dependOnClassesThat()
                    .areAssignableTo(TimeSource.class)
                    .orShould()
                    .callMethod(System.class, "nanoTime")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("java.time.Instant")
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("java.time.Clock");

    @ArchTest
    static final ArchRule strategies_know_no_store =
            noClasses()
                    .that()
                    .areAssignableTo(RateLimitStrategy.class)
                    .should()
                    .dependOnClassesThat(
                            assignableTo(RateLimitStore.class)
                                    .or(assignableTo(KeyedLimits.class))
                                    .or(assignableTo(RateLimiter.class)));

    @ArchTest
    static final ArchRule only_the_builder_chooses_a_store =
            noClasses()
                    .that()
                    .areNotAssignableTo(InMemoryStore.class)
                    .and()
                    .areNotAssignableTo(InMemoryLimits.class)
                    .and()
                    .areNotAssignableTo(RateLimiter.Builder.class)
                    .and()
                    .areNotAssignableTo(Sweeper.class)
                    .should()
                    .dependOnClassesThat(
                            assignableTo(InMemoryStore.class)
                                    .or(assignableTo(InMemoryLimits.class)));

    @ArchTest
    static final ArchRule nothing_takes_a_monitor_but_the_clock_of_tests =
            noMethods()
                    .that()
                    .areDeclaredInClassesThat()
                    .areNotAssignableTo(ManualTimeSource.class)
                    .should()
                    .haveModifier(JavaModifier.SYNCHRONIZED);

    @Test
    void whatCanBeNullSaysSo() {
        assertThat(RateLimiter.class.getPackage().isAnnotationPresent(NullMarked.class)).isTrue();
    }
}
