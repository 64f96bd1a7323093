package io.trainyard.device.cuda.library;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Finds and loads NVIDIA's libraries in dependency order, so that each finds its dependencies loaded. cuDNN comes
/// first, because the CUDA release it was built for determines the releases of cuBLAS and NVRTC.
final class LibraryLoading {
    private final LibraryFinder finder;
    private final NvidiaDriver driver;

    LibraryLoading(SearchFolders folders, boolean askSystem, NvidiaDriver driver) {
        this.finder = new LibraryFinder(folders, askSystem);
        this.driver = driver;
    }

    /// @throws CudaUnavailableException if a library is missing or does not fit; the message has the solution
    CudaLibraries load() {
        NativeLibrary dnn = find(NvidiaLibrary.DNN, NvidiaLibrary.DNN.newer, NvidiaLibrary.DNN.linked);
        requireFunctions(NvidiaLibrary.DNN, dnn);
        long version = dnn.callLong("cudnnGetVersion");
        // 8907 is 8.9.7, 92400 is 9.24.0
        int release = Math.toIntExact(version >= 10_000 ? version / 10_000 : version / 1000);
        String dnnVersion = version >= 10_000
                ? "%d.%d.%d".formatted(release, version / 100 % 100, version % 100)
                : "%d.%d.%d".formatted(release, version / 100 % 10, version % 100);
        int cuda = Math.toIntExact(dnn.callLong("cudnnGetCudartVersion") / 1000);
        requireFitting(dnn, dnnVersion, cuda);

        NativeLibrary blas = findFor(cuda, NvidiaLibrary.BLAS, dnn, dnnVersion);
        NativeLibrary compiler = findFor(cuda, NvidiaLibrary.COMPILER, dnn, dnnVersion);
        int[] compilerVersion = compiler.ask("nvrtcVersion", 2);
        loadBuiltins(compiler, compilerVersion);
        String blasVersion = IntStream.range(0, 3)
                .mapToObj(part -> String.valueOf(blas.ask("cublasGetProperty", 1, part)[0]))
                .collect(Collectors.joining("."));
        return new CudaLibraries(
                driver,
                part(NvidiaLibrary.DNN, dnn, dnnVersion, release),
                part(NvidiaLibrary.BLAS, blas, blasVersion, cuda),
                part(NvidiaLibrary.COMPILER, compiler, compilerVersion[0] + "." + compilerVersion[1], cuda));
    }

    private static CudaLibraries.Part part(NvidiaLibrary library, NativeLibrary loaded, String version, int release) {
        String bridge = release == library.linked ? "" : library.file(library.linked) + " -> " + library.file(release);
        return new CudaLibraries.Part(library.title, version, loaded.path(), bridge);
    }

    private void requireFitting(NativeLibrary dnn, String dnnVersion, int cuda) {
        NvidiaLibrary blas = NvidiaLibrary.BLAS;
        if (cuda != blas.linked && cuda != blas.newer) {
            throw new CudaUnavailableException(
                    "cuDNN %s (%s) is built for CUDA %d, and Trainyard runs with CUDA %d or %d; install a cuDNN for one of these"
                            .formatted(dnnVersion, dnn.path(), cuda, blas.linked, blas.newer));
        }
        if (driver.cuda() / 1000 < cuda) {
            throw new CudaUnavailableException(
                    "NVIDIA's driver%s runs CUDA up to %s, but cuDNN %s (%s) is built for CUDA %d; update the driver, or install cuDNN, cuBLAS and NVRTC for CUDA %d and name their folders in %s"
                            .formatted(
                                    driver.version().isEmpty() ? "" : " " + driver.version(),
                                    driver.cudaVersion(),
                                    dnnVersion,
                                    dnn.path(),
                                    cuda,
                                    driver.cuda() / 1000,
                                    SearchFolders.VARIABLE));
        }
    }

    private NativeLibrary findFor(int cuda, NvidiaLibrary library, NativeLibrary dnn, String dnnVersion) {
        NativeLibrary found = find(
                library,
                "cuDNN %s (%s) is built for CUDA %d, so it must be %s"
                        .formatted(dnnVersion, dnn.path(), cuda, library.file(cuda)),
                cuda);
        requireFunctions(library, found);
        return found;
    }

    private NativeLibrary find(NvidiaLibrary library, int newer, int older) {
        return find(library, "it must be %s or %s".formatted(library.file(newer), library.file(older)), newer, older);
    }

    /// @param wanted the required release with the reason, for the message
    private NativeLibrary find(NvidiaLibrary library, String wanted, int... releases) {
        List<String> names = IntStream.of(releases).mapToObj(library::file).toList();
        Optional<NativeLibrary> found = finder.find(names);
        return found.orElseThrow(() -> {
            List<Path> others = finder.otherReleases(library.stem);
            String there = others.isEmpty()
                    ? ""
                    : "; found only " + others.stream().map(Path::toString).collect(Collectors.joining(", "));
            return new CudaUnavailableException("no %s: %s%s. Looked in %s. Install it (%s), or name its folder in %s"
                    .formatted(
                            library.title,
                            wanted,
                            there,
                            finder.places(),
                            library.installation(releases[0]),
                            SearchFolders.VARIABLE));
        });
    }

    /// NVRTC opens it by name when it compiles, and fails without a message if it is not found.
    private void loadBuiltins(NativeLibrary compiler, int[] version) {
        String name = "libnvrtc-builtins.so.%d.%d".formatted(version[0], version[1]);
        if (!LibraryFinder.loadBeside(compiler, name)
                && finder.find(List.of(name)).isEmpty()) {
            throw new CudaUnavailableException(
                    "NVRTC %d.%d (%s) has no %s, which it needs to compile. Searched its folder and %s. Install all of NVRTC"
                            .formatted(version[0], version[1], compiler.path(), name, finder.places()));
        }
    }

    private static void requireFunctions(NvidiaLibrary library, NativeLibrary loaded) {
        requireFunctions(library.title, loaded, library.functions, "install a newer release of it");
    }

    /// JCuda would terminate the process when it calls a missing function.
    static void requireFunctions(String title, NativeLibrary library, List<String> functions, String remedy) {
        List<String> missing = functions.stream().filter(f -> !library.has(f)).toList();
        if (!missing.isEmpty()) {
            throw new CudaUnavailableException("%s (%s) has no %s, which Trainyard calls; %s"
                    .formatted(title, library.path(), String.join(", ", missing), remedy));
        }
    }
}
