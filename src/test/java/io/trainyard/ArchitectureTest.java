package io.trainyard;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static com.tngtech.archunit.library.plantuml.rules.PlantUmlArchCondition.Configuration.consideringOnlyDependenciesInDiagram;
import static com.tngtech.archunit.library.plantuml.rules.PlantUmlArchCondition.adhereToPlantUmlDiagram;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasParameterTypes;
import com.tngtech.archunit.core.domain.properties.HasReturnType;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Checks the code against the package diagram in the docs, and against the allowed dependencies on libraries.
@AnalyzeClasses(packages = "io.trainyard", importOptions = DoNotIncludeTests.class)
final class ArchitectureTest {

    private static final Path DIAGRAM = Path.of("docs", "contributing", "packages.puml");

    /// The outer packages: only these depend on Kafka or Quarkus.
    private static final String[] EDGE = {
        "io.trainyard.worker..", "io.trainyard.dashboard..", "io.trainyard.broker..", "io.trainyard.cli"
    };

    private static final String[] KAFKA_USERS = {
        "io.trainyard.topics..",
        "io.trainyard.worker..",
        "io.trainyard.dashboard..",
        "io.trainyard.broker..",
        "io.trainyard.cli",
        "io.trainyard.cli.eventlog"
    };

    @ArchTest
    static final ArchRule packagesUseOneAnotherOnlyAsDrawn =
            classes().should(adhereToPlantUmlDiagram(DIAGRAM, consideringOnlyDependenciesInDiagram()));

    @ArchTest
    static final ArchRule everyPackageIsDrawn = classes().should().resideInAnyPackage(drawnPackages());

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.trainyard.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyTheEdgeAndTopicsKnowKafka = noClasses()
            .that()
            .resideOutsideOfPackages(KAFKA_USERS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..", "kafka..");

    @ArchTest
    static final ArchRule onlyTheEdgeKnowsQuarkus = noClasses()
            .that()
            .resideOutsideOfPackages(EDGE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.quarkus..", "io.smallrye..", "org.eclipse.microprofile..", "jakarta..");

    @ArchTest
    static final ArchRule onlyTheEdgeAndMetricsKnowMicrometer = noClasses()
            .that()
            .resideOutsideOfPackages(EDGE)
            .and()
            .resideOutsideOfPackage("io.trainyard.metrics")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.micrometer..");

    @ArchTest
    static final ArchRule onlyTraceKnowsOpenTelemetry = noClasses()
            .that()
            .resideOutsideOfPackage("io.trainyard.trace")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.opentelemetry..");

    @ArchTest
    static final ArchRule onlyOnePackageKnowsKubernetes = noClasses()
            .that()
            .resideOutsideOfPackage("io.trainyard.kubernetes")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.fabric8..", "io.grpc..", "io.netty..");

    @ArchTest
    static final ArchRule onlyTheOneDnnBackendKnowsBytedeco = noClasses()
            .that()
            .resideOutsideOfPackage("io.trainyard.device.onednn..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.bytedeco..");

    /// src/main/jvm/flags selects compiler options for methods with that name. Methods that take or return
    /// vectors are inlined into their callers.
    @ArchTest
    static final ArchRule loopsOverVectorsAreNamedSo = methods()
            .that(DescribedPredicate.describe("compute with vectors", ArchitectureTest::computesWithVectors))
            .and(DescribedPredicate.describe("neither take nor give any", method -> !passesVectors(method)))
            .should()
            .haveNameEndingWith("Vectors");

    private static boolean computesWithVectors(JavaMethod method) {
        return method.getMethodCallsFromSelf().stream()
                .anyMatch(call -> isVector(call.getTargetOwner()) || passesVectors(call.getTarget()));
    }

    private static <T extends HasParameterTypes & HasReturnType> boolean passesVectors(T method) {
        return isVector(method.getRawReturnType())
                || method.getRawParameterTypes().stream().anyMatch(ArchitectureTest::isVector);
    }

    private static boolean isVector(JavaClass type) {
        return type.isAssignableTo("jdk.incubator.vector.Vector")
                || type.isAssignableTo("jdk.incubator.vector.VectorMask")
                || type.isAssignableTo("jdk.incubator.vector.VectorShuffle");
    }

    @ArchTest
    static final ArchRule noPackageIsADrawerForEverything = noClasses()
            .should()
            .resideInAnyPackage("..util..", "..utils..", "..common..")
            .because("a class belongs to what it is about");

    /// Related values are passed together, as an attempt, a claim or a record.
    @ArchTest
    static final ArchRule trainingAndWorkersTakeFewParameters = codeUnits()
            .that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage("io.trainyard.training..", "io.trainyard.worker..")
            .and(DescribedPredicate.describe("are written as such", ArchitectureTest::isWritten))
            .should(haveAtMostParameters(4));

    /// Excludes lambdas, whose captured variables become parameters, and the constructors of records.
    private static boolean isWritten(JavaCodeUnit unit) {
        return !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !(unit.isConstructor() && unit.getOwner().isRecord());
    }

    private static ArchCondition<JavaCodeUnit> haveAtMostParameters(int most) {
        return ArchCondition.from(DescribedPredicate.describe(
                "have at most %d parameters".formatted(most),
                (JavaCodeUnit unit) -> unit.getRawParameterTypes().size() <= most));
    }

    /// The stereotypes of the diagram, such as `<<io.trainyard.spec>>`. The diagram's rule ignores other
    /// packages.
    private static String[] drawnPackages() {
        try {
            return Pattern.compile("<<(.+?)>>")
                    .matcher(Files.readString(DIAGRAM))
                    .results()
                    .map(match -> match.group(1))
                    .toArray(String[]::new);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + DIAGRAM.toAbsolutePath(), e);
        }
    }
}
