package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The input for GraalVM's native image. Every build writes it unless `quick` is set.
final class NativeSourcesIT {
    private static final Path SOURCES = Path.of("target/native-sources");

    @BeforeAll
    static void theyAreThere() {
        if (!"true".equals(System.getenv("CI"))) {
            assumeThat(SOURCES).exists();
        }
    }

    private static List<String> arguments() throws IOException {
        return Arrays.asList(
                Files.readString(SOURCES.resolve("native-image.args")).split("\\s+"));
    }

    @Test
    void kernelsAreCompiledForVectors() throws IOException {
        assertThat(arguments()).contains("--add-modules=jdk.incubator.vector", "-H:+VectorAPISupport");
    }

    /// Libraries loaded and functions looked up during the image build are missing at run time.
    @Test
    void classesThatLoadLibrariesAreInitializedAtRunTime() throws IOException {
        String later = arguments().stream()
                .filter(argument -> argument.startsWith("--initialize-at-run-time=jcuda"))
                .findFirst()
                .orElseThrow();
        assertThat(later.substring(later.indexOf('=') + 1).split(","))
                .contains("org.bytedeco")
                .allSatisfy(name -> {
                    if (name.startsWith("io.trainyard.")) {
                        String path = name.replace('.', '/');
                        assertThat(Stream.of(path, path + ".class").map(Path.of("target/classes")::resolve))
                                .as("a package or class %s", name)
                                .anyMatch(Files::exists);
                    }
                });
    }

    @Test
    void anImageStandsOnItsOwn() throws IOException {
        assertThat(arguments()).contains("--no-fallback", "-jar", "trainyard-0.1.0-runner.jar");
        assertThat(SOURCES.resolve("trainyard-0.1.0-runner.jar")).exists();
    }

    /// The metadata of Trainyard and of its libraries is in their jars.
    @Test
    void theMetadataIsThere() throws IOException {
        try (JarFile jar =
                new JarFile(SOURCES.resolve("trainyard-0.1.0-runner.jar").toFile())) {
            assertThat(jar.getEntry("META-INF/native-image/io.trainyard/trainyard/reachability-metadata.json"))
                    .isNotNull();
        }
        for (String library : List.of("org.bytedeco.dnnl-", "org.bytedeco.javacpp-", "org.xerial.sqlite-jdbc-")) {
            assertThat(reportsItself(library)).as("%s", library).isTrue();
        }
    }

    private static boolean reportsItself(String library) throws IOException {
        try (Stream<Path> jars = Files.list(SOURCES.resolve("lib"))) {
            for (Path file : jars.filter(jar -> jar.getFileName().toString().startsWith(library))
                    .toList()) {
                try (JarFile jar = new JarFile(file.toFile())) {
                    if (jar.stream().anyMatch(entry -> entry.getName().startsWith("META-INF/native-image/"))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
