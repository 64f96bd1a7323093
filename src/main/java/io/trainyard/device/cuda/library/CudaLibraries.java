package io.trainyard.device.cuda.library;

import io.trainyard.device.DeviceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// NVIDIA's libraries and JCuda's natives, loaded once for this process: after [#loaded] JCuda can be used.
public record CudaLibraries(NvidiaDriver driver, Part dnn, Part blas, Part compiler) {
    /// @param name for display
    /// @param bridge the linked and the installed release, if JCuda's native was patched for the latter; empty if
    ///     it fits unchanged
    public record Part(String name, String version, Path path, String bridge) {
        public boolean bridged() {
            return !bridge.isEmpty();
        }
    }

    private record Loaded(@Nullable CudaLibraries libraries, String reasonIfMissing) {}

    private static final class Holder {
        static final Loaded LOADED = load();
    }

    private static Loaded load() {
        try {
            return new Loaded(load(SearchFolders.ofProcess(), true), "");
        } catch (CudaUnavailableException e) {
            return new Loaded(null, e.reason());
        } catch (LinkageError | RuntimeException e) { // a failed initializer would report the cause only once
            return new Loaded(
                    null,
                    "NVIDIA's libraries were found and cannot be used (%s); report it with the output of nvidia-smi"
                            .formatted(e));
        }
    }

    /// @param askSystem whether to search with the system's loader
    static CudaLibraries load(SearchFolders folders, boolean askSystem) {
        String platform = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        if (!platform.equals("Linux on amd64")) {
            throw new CudaUnavailableException(
                    "the CUDA device runs on Linux on 64-bit x86 only, and this is %s; use another device"
                            .formatted(platform));
        }
        NvidiaDriver driver = NvidiaDriver.find(folders, askSystem);
        CudaLibraries libraries = new LibraryLoading(folders, askSystem, driver).load();
        JCudaNatives.load(libraries.bridges());
        return libraries;
    }

    private Map<String, String> bridges() {
        Map<String, String> bridges = new LinkedHashMap<>();
        Stream.of(dnn, blas, compiler).filter(Part::bridged).forEach(part -> {
            String[] names = part.bridge().split(" -> ");
            bridges.put(names[0], names[1]);
        });
        return bridges;
    }

    /// Why CUDA is unavailable, and what to do about it; empty if it is available. Without a driver this only
    /// searches for it; with one it loads all libraries.
    public static Optional<String> whyUnavailable() {
        return Holder.LOADED.libraries() == null ? Optional.of(Holder.LOADED.reasonIfMissing()) : Optional.empty();
    }

    /// @throws DeviceException if they cannot be loaded; the message has the reason
    public static CudaLibraries loaded() {
        CudaLibraries libraries = Holder.LOADED.libraries();
        if (libraries == null) {
            throw new DeviceException("no device \"cuda\" here: " + Holder.LOADED.reasonIfMissing());
        }
        return libraries;
    }

    public String description() {
        return "driver %s(CUDA %s), cuDNN %s, cuBLAS %s, NVRTC %s"
                .formatted(
                        driver.version().isEmpty() ? "" : driver.version() + " ",
                        driver.cudaVersion(),
                        dnn.version(),
                        blas.version(),
                        compiler.version());
    }

    public List<String> details() {
        List<String> lines = new ArrayList<>();
        lines.add("driver: " + driver.path());
        for (Part part : List.of(dnn, blas, compiler)) {
            lines.add("%s %s: %s, %s"
                    .formatted(
                            part.name(),
                            part.version(),
                            part.path(),
                            part.bridged() ? "bridged, " + part.bridge() : "as JCuda was linked, no bridge"));
        }
        return lines;
    }
}
