package io.trainyard;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static com.tngtech.archunit.library.plantuml.rules.PlantUmlArchCondition.Configuration.consideringOnlyDependenciesInDiagram;
import static com.tngtech.archunit.library.plantuml.rules.PlantUmlArchCondition.adhereToPlantUmlDiagram;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Holds the code to the package diagram that the docs show, and to who may see which library.
@AnalyzeClasses(packages = "io.trainyard", importOptions = DoNotIncludeTests.class)
final class ArchitectureTest {

    private static final Path DIAGRAM = Path.of("docs", "packages.puml");

    /// The packages at the edge: they alone know that there is Kafka or Quarkus.
    private static final String[] EDGE = {
        "io.trainyard.worker..", "io.trainyard.dashboard..", "io.trainyard.broker..", "io.trainyard.cli.."
    };

    private static final String[] KAFKA_USERS = {
        "io.trainyard.topics..",
        "io.trainyard.worker..",
        "io.trainyard.dashboard..",
        "io.trainyard.broker..",
        "io.trainyard.cli.."
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
            .resideInAnyPackage("org.apache.kafka..", "kafka..")
            .allowEmptyShould(true); // true until a package exists below the edge

    @ArchTest
    static final ArchRule onlyTheEdgeKnowsQuarkus = noClasses()
            .that()
            .resideOutsideOfPackages(EDGE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.quarkus..", "io.smallrye..", "org.eclipse.microprofile..", "jakarta..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyTheOneDnnBackendKnowsBytedeco = noClasses()
            .that()
            .resideOutsideOfPackage("io.trainyard.device.onednn..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.bytedeco..");

    @ArchTest
    static final ArchRule noPackageIsADrawerForEverything = noClasses()
            .should()
            .resideInAnyPackage("..util..", "..utils..", "..common..")
            .because("a class belongs to what it is about");

    /// The stereotypes of the diagram, such as `<<io.trainyard.spec>>`: the diagram's rule is silent about other
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
