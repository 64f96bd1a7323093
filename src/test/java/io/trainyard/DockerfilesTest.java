package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks of the Dockerfiles that do not require a container engine.
final class DockerfilesTest {
    static final String NATIVE = "Dockerfile.native";
    private static final String JVM = "src/main/docker/Dockerfile.jvm";
    private static final String CUDA = "src/main/docker/Dockerfile.cuda";

    /// The instructions, with continued lines joined.
    private static List<String> instructions(String file) throws IOException {
        String text = Files.readString(Path.of(file)).replace("\\\n", " ");
        return text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    static List<String> of(String kind, String file) throws IOException {
        return instructions(file).stream()
                .map(String::strip)
                .filter(line -> line.startsWith(kind + " "))
                .map(line -> line.substring(kind.length() + 1))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {NATIVE, JVM, CUDA})
    void noContainerRunsAsRoot(String file) throws IOException {
        assertThat(of("USER", file)).containsExactly("10001:10001");
    }

    @Test
    void copiedFilesExist() throws IOException {
        List<String> taken = of("COPY", NATIVE).stream()
                .flatMap(copy -> Stream.of(copy.split(" ")))
                .filter(path -> path.startsWith("/trainyard/") && !path.contains("/target") && !path.endsWith("/"))
                .map(path -> path.substring("/trainyard/".length()))
                .filter(path -> !path.equals("licences")) // created by a build stage
                .toList();
        assertThat(taken)
                .contains("LICENSE", "NOTICE")
                .allSatisfy(path -> assertThat(Path.of(path)).exists());
    }

    @Test
    void theCudaImageStartsLikeTheOneThatItIsMadeOf() throws IOException {
        for (String kind : List.of("ENV", "WORKDIR", "ENTRYPOINT", "CMD")) {
            assertThat(of(kind, CUDA)).containsExactly(of(kind, JVM).getLast());
        }
    }

    /// The name of GraalVM's output file contains the project's version.
    @Test
    void theNativeImageIsOfThisVersion() throws IOException {
        String version = Files.readString(Path.of("pom.xml")).replaceFirst("(?s).*?<version>([^<]+)</version>.*", "$1");
        assertThat(of("COPY", NATIVE)).anyMatch(copy -> copy.contains("/trainyard-" + version + "-runner "));
    }

    /// GraalVM's and NVIDIA's libraries must have the same versions as in the JVM image.
    @Test
    void allHaveTheSameLibrariesOfNvidias() throws IOException {
        assertThat(of("FROM", NATIVE).getLast()).isEqualTo(of("FROM", CUDA).getLast());
        assertThat(of("FROM", NATIVE).getFirst())
                .isEqualTo(of("FROM", JVM).getFirst().replace("AS build", "AS sources"));
    }
}
