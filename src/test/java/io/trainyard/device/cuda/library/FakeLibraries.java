package io.trainyard.device.cuda.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/// Shared libraries with NVIDIA's names and the functions that Trainyard calls. They answer version queries;
/// all other calls succeed and do nothing.
final class FakeLibraries {
    private static final Path COMPILER = Path.of("/usr/bin/g++");

    private final Path folder;

    FakeLibraries(Path folder) {
        this.folder = folder;
    }

    /// Skips the test on machines without a compiler.
    static void requireCompiler() {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        assumeTrue(system.equals("Linux amd64"), "the CUDA device does not run on " + system);
        assumeTrue(
                Files.isExecutable(COMPILER) || "true".equals(System.getenv("CI")),
                "there is no " + COMPILER + ": install Debian's package g++");
    }

    /// @param initialised the result of cuInit
    /// @param cuda the version from cuDriverGetVersion
    FakeLibraries driver(int initialised, int cuda, int gpus) {
        return library("libcuda.so.1", NeededFunctions.DRIVER, """
                int cuInit(int flags) { return %d; }
                int cuDriverGetVersion(int* version) { *version = %d; return 0; }
                int cuDeviceGetCount(int* count) { *count = %d; return 0; }
                int cuGetErrorName(int error, const char** name) { *name = "CUDA_ERROR_FAKE"; return 0; }
                """.formatted(initialised, cuda, gpus));
    }

    /// @param version the result of cudnnGetVersion
    /// @param cuda the major CUDA release that it is built for
    FakeLibraries dnn(int release, int version, int cuda) {
        return library("libcudnn.so." + release, NeededFunctions.DNN, """
                unsigned long cudnnGetVersion() { return %d; }
                unsigned long cudnnGetCudartVersion() { return %d; }
                """.formatted(version, cuda * 1000 + 20));
    }

    FakeLibraries blas(int release) {
        return library(
                "libcublas.so." + release,
                NeededFunctions.BLAS,
                "int cublasGetProperty(int part, int* value) { *value = part == 0 ? %d : part; return 0; }"
                        .formatted(release));
    }

    FakeLibraries compiler(int release) {
        return library(
                "libnvrtc.so." + release,
                NeededFunctions.COMPILER,
                "int nvrtcVersion(int* major, int* minor) { *major = %d; *minor = 4; return 0; }".formatted(release));
    }

    FakeLibraries builtins(int release) {
        return library("libnvrtc-builtins.so.%d.4".formatted(release), List.of(), "");
    }

    /// @param functions functions that are not in `code` do nothing
    FakeLibraries library(String name, Collection<String> functions, String code) {
        String rest = functions.stream()
                .filter(function -> !code.contains(" " + function + "("))
                .map(function -> "int %s() { return 0; }\n".formatted(function))
                .collect(Collectors.joining());
        try {
            Files.createDirectories(folder);
            Path source = Files.writeString(folder.resolve(name + ".cpp"), "extern \"C\" {\n" + code + rest + "}\n");
            // As in NVIDIA's libraries, the symbol version is named like the library.
            Path versions = Files.writeString(
                    folder.resolve(name + ".map"), (functions.isEmpty() ? "" : name) + " { global: *; };\n");
            run(List.of(
                    COMPILER.toString(),
                    "-shared",
                    "-fPIC",
                    "-nostdlib",
                    "-Wl,-soname," + name,
                    "-Wl,--version-script=" + versions,
                    "-o",
                    folder.resolve(name).toString(),
                    source.toString()));
            Files.delete(source);
            Files.delete(versions);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    static List<String> without(String function, List<String> functions) {
        List<String> rest = new ArrayList<>(functions);
        assertThat(rest.remove(function)).isTrue();
        return rest;
    }

    /// A file with that name that is not a library.
    FakeLibraries broken(String name) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name), "no library\n".repeat(100));
        return this;
    }

    private static void run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(Patience.exitStatus(process)).as(words).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
