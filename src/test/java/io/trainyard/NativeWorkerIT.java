package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Builds the native worker as far as possible without GraalVM: for a JVM, and the input for GraalVM's native image.
@DisabledOnOs(OS.WINDOWS)
final class NativeWorkerIT {
    private static final Path BUILD = Path.of("target/native-worker").toAbsolutePath();
    private static final Path SOURCES = BUILD.resolve("native-sources");
    private static final Path RUNNER = SOURCES.resolve("trainyard-0.2.0-runner.jar");

    /// A worker that reaches one of these becomes large, and GraalVM fails on the first two.
    private static final List<String> NOT_IN_A_WORKER = List.of("""
            kafka/server/ org/postgresql/ org/apache/kafka/controller/ org/apache/kafka/server/common/
            org/apache/kafka/storage/ scala/ com/yammer/ org/sqlite/ org/flywaydb/ com/zaxxer/ io/fabric8/
            io/grpc/ org/apache/parquet/ org/jline/ io/quarkus/oidc/ io/quarkus/resteasy/ io/trainyard/alert/
            io/trainyard/broker/ io/trainyard/cli/Trainyard.class io/trainyard/dashboard/ io/trainyard/export/
            io/trainyard/kubernetes/ io/trainyard/tracking/ web/""".split("\\s+"));

    @TempDir
    private Path folder;

    @BeforeAll
    static void build() throws Exception {
        Path log = Path.of("target/native-worker.log");
        ProcessBuilder maven = new ProcessBuilder(
                        Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                        "--offline",
                        "--batch-mode",
                        "-Pnative-worker",
                        "-Dquick",
                        "clean",
                        "package")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = maven.start();
        boolean ended = process.waitFor(3 * Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended && process.waitFor() == 0)
                .as("the build, with this log: %s", Files.readString(log))
                .isTrue();
    }

    private static List<String> arguments() throws IOException {
        return Arrays.asList(
                Files.readString(SOURCES.resolve("native-image.args")).split("\\s+"));
    }

    /// The names of all classes and resources of the native image, without those of the JDK.
    private static List<String> classPath() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> libraries = Files.list(SOURCES.resolve("lib"))) {
            for (Path jar : Stream.concat(Stream.of(RUNNER), libraries).toList()) {
                try (JarFile file = new JarFile(jar.toFile())) {
                    file.stream().forEach(entry -> names.add(entry.getName()));
                }
            }
        }
        return names;
    }

    @Test
    void onlyALibraryOfAWorkerIsOnItsClassPath() throws IOException {
        assertThat(classPath())
                .contains("io/trainyard/cli/NativeWorker.class", "org/apache/kafka/clients/producer/Producer.class")
                .filteredOn(name -> NOT_IN_A_WORKER.stream().anyMatch(name::startsWith))
                .isEmpty();
    }

    @Test
    void kernelsAreCompiledForVectors() throws IOException {
        assertThat(arguments()).contains("--add-modules=jdk.incubator.vector", "-H:+VectorAPISupport");
    }

    /// Libraries loaded, functions looked up and readers registered during the image build are missing at run time.
    @Test
    void packagesThatAreInitializedAtRunTimeExist() throws IOException {
        String later = arguments().stream()
                .filter(argument -> argument.startsWith("--initialize-at-run-time=jcuda"))
                .findFirst()
                .orElseThrow();
        List<String> names = classPath();
        assertThat(later.substring(later.indexOf('=') + 1).split(","))
                .contains("org.bytedeco", "com.twelvemonkeys", "javax.imageio")
                .allSatisfy(name -> {
                    String path = name.replace('.', '/');
                    assertThat(names.stream().anyMatch(it -> it.startsWith(path + "/") || it.equals(path + ".class"))
                                    || ModuleLayer.boot().modules().stream()
                                            .anyMatch(module -> module.getPackages().stream()
                                                    .anyMatch(it -> it.equals(name) || it.startsWith(name + "."))))
                            .as("a package or class %s", name)
                            .isTrue();
                });
    }

    @Test
    void theImageHasTheLicencesOfItsLibraries() throws Exception {
        Programs.find("unzip", "unzip");
        Files.createSymbolicLink(folder.resolve("target"), BUILD.getParent());
        String step = DockerfilesTest.of("RUN", DockerfilesTest.NATIVE).stream()
                .filter(command -> command.contains("licences"))
                .findFirst()
                .orElseThrow();
        Process process = new ProcessBuilder("sh", "-e", "-c", step)
                .directory(folder.toFile())
                .inheritIO()
                .start();
        assertThat(Patience.exitStatus(process)).isZero();
        try (Stream<Path> files = Files.walk(folder.resolve("licences"))) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString()))
                    .hasSizeGreaterThan(100)
                    .anyMatch(name -> name.matches("licences/org\\.apache\\.kafka\\.kafka-clients.*/LICENSE"));
        }
    }

    @Test
    void anImageStandsOnItsOwn() throws IOException {
        assertThat(arguments())
                .contains("--no-fallback", "-jar", RUNNER.getFileName().toString());
    }

    /// The metadata of Trainyard and of its libraries is in their jars.
    @Test
    void theMetadataHasTheClassesOfAWorker() throws IOException {
        List<String> types = new ArrayList<>();
        List<String> resources = new ArrayList<>();
        try (JarFile jar = new JarFile(RUNNER.toFile());
                InputStream in = jar.getInputStream(
                        jar.getJarEntry("META-INF/native-image/io.trainyard/trainyard/reachability-metadata.json"))) {
            JsonNode metadata = new ObjectMapper().readTree(in);
            metadata.get("reflection")
                    .forEach(type -> types.add(type.get("type").asText()));
            metadata.get("resources")
                    .forEach(resource -> resources.add(resource.get("glob").asText()));
        }
        assertThat(types)
                .contains(
                        "io.trainyard.cli.WorkerCommand",
                        "io.trainyard.spec.JobSpec",
                        "io.trainyard.event.TrainingEvent$Finished",
                        "io.trainyard.ownership.Ownership",
                        "io.trainyard.checkpoint.Manifest$StoredFile",
                        "io.trainyard.device.cuda.CudaBackend",
                        "jcuda.driver.CUdeviceptr")
                .hasSizeLessThan(400);
        assertThat(resources)
                .contains("META-INF/services/io.trainyard.device.DeviceBackend", "io/trainyard/device/cuda/norm.cu")
                .containsAll(NativeImageMetadata.NATIVES);
        assertThat(classPath())
                .anyMatch(name -> name.matches("META-INF/native-image/.*dnnl.*"))
                .anyMatch(name -> name.matches("META-INF/native-image/.*javacpp.*"));
    }

    /// The same main class and libraries as in the image, on a JVM.
    @Test
    void itTrainsAJob() throws IOException {
        Path launcher = Files.writeString(folder.resolve("native-worker"), """
                #!/bin/sh
                exec '%s' @'%s' -Xmx1g -jar '%s' "$@"
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"),
                        Path.of("src/main/jvm/flags").toAbsolutePath(),
                        BUILD.resolve("quarkus-app/quarkus-run.jar")));
        File file = launcher.toFile();
        assertThat(file.setExecutable(true)).isTrue();
        try (PackagedFleet fleet = PackagedFleet.of(folder, "native-worker.")) {
            fleet.startWorker(launcher, "native", List.of("TRAINYARD_WORKER_METRICS_PORT=0"), "--device", "cpu");
            fleet.awaitMembers();
            fleet.send("""
                    {"id": "job", "network": "lenet", "dataset": "shapes32", "epochs": 2, "batchSize": 16}""", Priority.NORMAL);

            assertThat(fleet.await(Topic.JOBS, "job", Finished.class).attempt()).isEqualTo(1);
            assertThat(fleet.worker("native").errors()).doesNotContain("WARN", "ERROR");
            fleet.checkAll(1);
        }
    }
}
