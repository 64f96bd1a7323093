package io.trainyard.device.cuda.library;

import static io.trainyard.device.cuda.library.FakeLibraries.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The messages for an operator of a machine with missing or incompatible libraries.
///
/// Loaded libraries stay loaded and are found by name. Each case therefore runs in a separate process without
/// the system's search path.
@Slow
class WhyUnavailableTest {
    /// An incomplete machine.
    ///
    /// @param reason parts of the message, in order; `DIR` is the folder of the libraries, `ROOT` that of the
    ///     file system
    private record Case(String name, Machine machine, List<String> reason) {
        Case(String name, Machine machine, String... reason) {
            this(name, machine, List.of(reason));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @FunctionalInterface
    private interface Machine {
        void prepare(FakeLibraries libraries, Path root) throws IOException;
    }

    private static FakeLibraries ready(FakeLibraries libraries) {
        return libraries.driver(0, 13000, 1);
    }

    private static final String NO_GPU =
            "NVIDIA's driver is installed (DIR/libcuda.so.1), but finds no GPU that it can use:";

    static List<Case> cases() {
        return List.of(
                new Case(
                        "no driver",
                        (libraries, root) -> {},
                        "no NVIDIA driver: libcuda.so.1 is not in DIR (which is not there), ROOT/usr/lib/x86_64-linux-gnu, ",
                        "ROOT/usr/local/nvidia/lib64, ",
                        "; install NVIDIA's driver, or in a container use NVIDIA's runtime (docker run --gpus all)"),
                new Case(
                        "a container without the driver's library",
                        (libraries, root) -> {
                            Files.createDirectories(root.resolve("proc/driver/nvidia"));
                            Files.writeString(root.resolve("proc/driver/nvidia/version"), "NVRM version: 580.1");
                        },
                        "; the kernel has the driver, so run this container with NVIDIA's runtime (docker run --gpus all)"),
                new Case(
                        "a file that is no library",
                        (libraries, root) -> libraries.broken("libcuda.so.1"),
                        "DIR/libcuda.so.1 cannot be loaded (DIR/libcuda.so.1: invalid ELF header); repair or remove it"),
                new Case(
                        "an old driver",
                        (libraries, root) -> libraries.library(
                                "libcuda.so.1", without("cuGraphInstantiateWithFlags", NeededFunctions.DRIVER), ""),
                        "NVIDIA's driver (DIR/libcuda.so.1) has no cuGraphInstantiateWithFlags, which Trainyard calls; update the driver"),
                new Case(
                        "no GPU",
                        (libraries, root) -> libraries.driver(100, 13000, 0),
                        NO_GPU,
                        "cuInit reports CUDA_ERROR_FAKE (100); this machine has none, or this container was not given one"),
                new Case(
                        "no GPU although all is well",
                        (libraries, root) -> libraries.driver(0, 13000, 0),
                        NO_GPU,
                        "(100); this machine has none"),
                new Case(
                        "hidden GPUs",
                        (libraries, root) -> {
                            libraries.driver(100, 13000, 0);
                            Files.writeString(root.resolve("CUDA_VISIBLE_DEVICES"), "-1");
                        },
                        NO_GPU,
                        "CUDA_VISIBLE_DEVICES=\"-1\" may hide GPUs; unset it"),
                new Case(
                        "a driver that was updated while it ran",
                        (libraries, root) -> libraries.driver(803, 13000, 0),
                        NO_GPU,
                        "(803); the driver was updated while it ran; reboot"),
                new Case(
                        "GPUs whose fabric is not managed",
                        (libraries, root) -> libraries.driver(802, 13000, 0),
                        "(802); start nvidia-fabricmanager"),
                new Case(
                        "an error that nobody expects",
                        (libraries, root) -> libraries.driver(999, 13000, 0),
                        "(999); check nvidia-smi and dmesg"),
                new Case(
                        "no cuDNN",
                        (libraries, root) -> ready(libraries),
                        "no cuDNN: it must be libcudnn.so.9 or libcudnn.so.8. Looked in DIR, ROOT/usr/lib64. Install it",
                        "pip install nvidia-cudnn-cu13), or name its folder in CUDA_LIBRARIES"),
                new Case(
                        "a cuDNN that is too old",
                        (libraries, root) -> ready(libraries).broken("libcudnn.so.7"),
                        "no cuDNN: it must be libcudnn.so.9 or libcudnn.so.8; found only DIR/libcudnn.so.7. Looked in"),
                new Case(
                        "a cuDNN for an old CUDA",
                        (libraries, root) -> ready(libraries).dnn(8, 8907, 11),
                        "cuDNN 8.9.7 (DIR/libcudnn.so.8) is built for CUDA 11, and Trainyard runs with CUDA 12 or 13;"),
                new Case(
                        "a cuDNN that is broken",
                        (libraries, root) -> ready(libraries).broken("libcudnn.so.9"),
                        "DIR/libcudnn.so.9 cannot be loaded ("),
                new Case(
                        "a cuDNN that lacks what is called",
                        (libraries, root) -> ready(libraries)
                                .library("libcudnn.so.9", without("cudnnBackendExecute", NeededFunctions.DNN), ""),
                        "cuDNN (DIR/libcudnn.so.9) has no cudnnBackendExecute, which Trainyard calls; install a newer"),
                new Case(
                        "a driver older than CUDA",
                        (libraries, root) -> libraries.driver(0, 12040, 1).dnn(9, 92400, 13),
                        "NVIDIA's driver runs CUDA up to 12.4, but cuDNN 9.24.0 (DIR/libcudnn.so.9) is built for CUDA 13;",
                        "update the driver, or install cuDNN, cuBLAS and NVRTC for CUDA 12 and name their folders in"),
                new Case(
                        "no cuBLAS",
                        (libraries, root) -> ready(libraries).dnn(9, 92400, 13),
                        "no cuBLAS: cuDNN 9.24.0 (DIR/libcudnn.so.9) is built for CUDA 13, so it must be libcublas.so.13. ",
                        "(pip install nvidia-cublas), or"),
                new Case(
                        "cuDNN 8 beside CUDA 13",
                        (libraries, root) ->
                                ready(libraries).dnn(8, 8907, 12).blas(13).compiler(13),
                        "no cuBLAS: cuDNN 8.9.7 (DIR/libcudnn.so.8) is built for CUDA 12, so it must be libcublas.so.12; ",
                        "found only DIR/libcublas.so.13. "),
                new Case(
                        "no NVRTC",
                        (libraries, root) -> ready(libraries).dnn(9, 92400, 13).blas(13),
                        "no NVRTC: ",
                        "so it must be libnvrtc.so.13. ",
                        "(pip install nvidia-cuda-nvrtc), or"),
                new Case(
                        "half of NVRTC",
                        (libraries, root) ->
                                ready(libraries).dnn(9, 92400, 13).blas(13).compiler(13),
                        "NVRTC 13.4 (DIR/libnvrtc.so.13) has no libnvrtc-builtins.so.13.4, which it needs to compile"));
    }

    private static final Map<String, String> REASONS = new HashMap<>();

    @TempDir
    private static Path machines;

    @BeforeAll
    static void ask() throws IOException, InterruptedException {
        FakeLibraries.requireCompiler();
        for (Case each : cases()) {
            Path root = machines.resolve(each.name());
            Files.createDirectories(root.resolve("usr/lib64"));
            each.machine().prepare(new FakeLibraries(root.resolve("nvidia")), root);
        }
        String output = ChildJvm.run(
                Asking.class, System.getProperty("java.class.path"), "-Dmachines=" + machines, "-Xshare:auto");
        output.lines().filter(line -> line.contains("\t")).forEach(line -> {
            String[] parts = line.split("\t", 2);
            REASONS.put(parts[0], parts[1]);
        });
        assertThat(REASONS).as(output).hasSameSizeAs(cases());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isReportedWithItsSolution(Case machine) {
        Path root = machines.resolve(machine.name());
        assertThat(REASONS.get(machine.name()))
                .containsSubsequence(machine.reason().stream()
                        .map(part -> part.replace("DIR", root + "/nvidia").replace("ROOT", root.toString()))
                        .toList());
    }

    /// The main class of that process.
    static final class Asking {
        private Asking() {}

        public static void main(String[] arguments) throws IOException {
            for (Path root : SearchFolders.matches(Path.of(System.getProperty("machines")), "*")) {
                Path visible = root.resolve("CUDA_VISIBLE_DEVICES");
                Map<String, String> environment = Files.exists(visible)
                        ? Map.of(visible.getFileName().toString(), Files.readString(visible))
                        : Map.of();
                SearchFolders folders = SearchFolders.of(root.resolve("nvidia").toString(), environment, root);
                String reason;
                try {
                    reason = "available: " + CudaLibraries.load(folders, false);
                } catch (CudaUnavailableException e) {
                    reason = e.reason();
                }
                System.out.println(root.getFileName() + "\t" + reason);
            }
        }
    }
}
