package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The device report for an operator, from the packaged application: without a GPU, and on the fake CUDA
/// libraries with JCuda's native libraries from their jars.
@DisabledOnOs(OS.WINDOWS)
final class DevicesIT {
    private static final Path FAKE_CUDA = Path.of("target/fake-cuda").toAbsolutePath();

    @TempDir
    Path folder;

    /// @param environment as `NAME=value`
    private TrainyardProcess devices(String... environment) {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
        command.addAll(List.of(environment));
        command.addAll(List.of(TrainyardProcess.LAUNCHER.toString(), "devices"));
        TrainyardProcess ended = TrainyardProcess.start(folder, command);
        assertThat(ended.exitStatus()).as(ended.toString()).isZero();
        return ended;
    }

    private static void requireDouble() {
        assumeTrue(Files.exists(FAKE_CUDA.resolve("libcuda.so.1")), "the fake CUDA libraries are not built");
    }

    @Test
    void reportsWhyThereIsNoGpu() {
        assumeFalse(Files.exists(Path.of("/proc/driver/nvidia")), "this machine has a GPU");
        assertThat(devices().lines())
                .anySatisfy(line -> assertThat(line).startsWith("cuda         not available: "))
                .anySatisfy(line -> assertThat(line).startsWith("cpu ").endsWith("; the choice of auto"));
    }

    @Test
    void gpusAreListedWithTheFilesOfTheirLibraries() throws IOException {
        requireDouble();
        assertThat(devices("CUDA_LIBRARIES=" + FAKE_CUDA).lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("cuda:0 ")
                        .contains("compute capability 9.0", "cuDNN 9.", "2.0 GiB of memory")
                        .endsWith("; the choice of auto"))
                .anySatisfy(line -> assertThat(line).startsWith("cuda:1 ").endsWith("GiB of memory"))
                .contains("             driver: " + FAKE_CUDA.resolve("libcuda.so.1"))
                .anySatisfy(line -> assertThat(line)
                        .contains(FAKE_CUDA.resolve("libcudnn.so.9") + ", bridged, libcudnn.so.8 -> libcudnn.so.9"))
                .noneSatisfy(line -> assertThat(line).startsWith("cpu").endsWith("; the choice of auto"));
        try (Stream<Path> temporary = Files.list(folder.resolve(TrainyardProcess.TEMPORARY))) {
            assertThat(temporary).noneMatch(file -> file.toString().contains("jcuda"));
        }
    }
}
