package io.trainyard.device.cuda.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.jcublas.JCublas2;
import jcuda.jcudnn.JCudnn;
import jcuda.nvrtc.JNvrtc;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// JCuda's real native code with libraries of several releases, each in a separate process.
@Slow
class JCudaNativesTest {
    @TempDir
    private Path folder;

    @BeforeAll
    static void requireCompiler() {
        FakeLibraries.requireCompiler();
    }

    private FakeLibraries nvidia() {
        return new FakeLibraries(folder.resolve("nvidia")).driver(0, 13000, 1);
    }

    private Path temporary() {
        return folder.resolve("temporary");
    }

    private String run(Class<?> main, String classPath) throws IOException, InterruptedException {
        Path temporary = Files.createDirectories(temporary());
        return ChildJvm.run(main, classPath, "-Djava.io.tmpdir=" + temporary, "-Dnvidia=" + folder.resolve("nvidia"));
    }

    private String run(Class<?> main) throws IOException, InterruptedException {
        return run(main, System.getProperty("java.class.path"));
    }

    @Test
    void linkedReleasesNeedNoBridge() throws IOException, InterruptedException {
        nvidia().dnn(8, 8907, 12).blas(12).compiler(12).builtins(12);
        assertThat(run(Asking.class))
                .contains(
                        "cuDNN 8.9.7: " + folder.resolve("nvidia/libcudnn.so.8") + ", as JCuda was linked, no bridge",
                        "cuBLAS 12.1.2: " + folder.resolve("nvidia/libcublas.so.12") + ", as JCuda was linked",
                        "NVRTC 12.4: " + folder.resolve("nvidia/libnvrtc.so.12") + ", as JCuda was linked",
                        "through JCuda: cuDNN 8907, cuBLAS 12, NVRTC 12")
                .doesNotContain("bridged");
    }

    @Test
    void newerReleasesAreBridgedTo() throws IOException, InterruptedException {
        nvidia().dnn(9, 92400, 13).blas(13).compiler(13).builtins(13);
        assertThat(run(Asking.class))
                .contains(
                        "cuDNN 9.24.0: " + folder.resolve("nvidia/libcudnn.so.9")
                                + ", bridged, libcudnn.so.8 -> libcudnn.so.9",
                        "bridged, libcublas.so.12 -> libcublas.so.13",
                        "bridged, libnvrtc.so.12 -> libnvrtc.so.13",
                        "through JCuda: cuDNN 92400, cuBLAS 13, NVRTC 13");
    }

    @Test
    void bridgesOnlyNewerReleases() throws IOException, InterruptedException {
        nvidia().dnn(9, 90100, 12).blas(12).compiler(12).builtins(12);
        assertThat(run(Asking.class))
                .contains(
                        "bridged, libcudnn.so.8 -> libcudnn.so.9",
                        "libcublas.so.12, as JCuda was linked",
                        "libnvrtc.so.12, as JCuda was linked",
                        "through JCuda: cuDNN 90100, cuBLAS 12, NVRTC 12");
    }

    @Test
    void prefersTheNewerOfTwoReleases() throws IOException, InterruptedException {
        nvidia().dnn(8, 8907, 12).blas(12).compiler(12).builtins(12);
        nvidia().dnn(9, 92400, 13).blas(13).compiler(13).builtins(13);
        assertThat(run(Asking.class)).contains("through JCuda: cuDNN 92400, cuBLAS 13, NVRTC 13");
    }

    /// JCuda alone would load it.
    @Test
    void leavesOtherTemporaryFilesAlone() throws IOException, InterruptedException {
        nvidia().dnn(9, 92400, 13).blas(13).compiler(13).builtins(13);
        Path planted = Files.createDirectories(temporary()).resolve("libJCudnn-12.6.0-linux-x86_64.so");
        Files.writeString(planted, "planted");
        assertThat(run(Asking.class))
                .contains("through JCuda: cuDNN 92400", "loaded: " + temporary() + "/trainyard-jcuda-");
        assertThat(planted).hasContent("planted");
        assertThat(leftBehind()).as("what is unpacked is removed").containsExactly(planted);
    }

    private List<Path> leftBehind() throws IOException {
        try (Stream<Path> files = Files.list(temporary())) {
            return files.filter(file -> !file.getFileName().toString().startsWith("hsperfdata"))
                    .toList();
        }
    }

    @Test
    void namesAMissingJar() throws IOException, InterruptedException {
        nvidia().dnn(9, 92400, 13).blas(13).compiler(13).builtins(13);
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("jcudnn-natives"))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(run(Asking.class, classPath))
                .contains("why: JCuda's native libraries cannot be unpacked (java.io.IOException: "
                        + "lib/libJCudnn-11.7.0-linux-x86_64.so is in no jar of the class path)");
        assertThat(leftBehind()).isEmpty();
    }

    /// The main class of that process.
    static final class Asking {
        private Asking() {}

        public static void main(String[] arguments) {
            try {
                CudaLibraries libraries = CudaLibraries.load(
                        SearchFolders.of(System.getProperty("nvidia"), Map.of(), Path.of("/nowhere")), false);
                libraries.details().forEach(System.out::println);
            } catch (CudaUnavailableException e) {
                System.out.println("why: " + e.reason());
                return;
            }
            int[] blas = new int[1];
            JCublas2.cublasGetProperty(0, blas);
            int[] compiler = new int[1];
            JNvrtc.nvrtcVersion(compiler, new int[1]);
            System.out.printf(
                    "through JCuda: cuDNN %d, cuBLAS %d, NVRTC %d%n", JCudnn.cudnnGetVersion(), blas[0], compiler[0]);
            try (Stream<String> mapped = Files.lines(Path.of("/proc/self/maps"))) {
                mapped.filter(line -> line.contains("libJC"))
                        .map(line -> "loaded: " + line.substring(line.indexOf('/')))
                        .distinct()
                        .forEach(System.out::println);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
