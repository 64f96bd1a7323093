package io.trainyard.device.cuda.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// NVIDIA's initialized driver.
///
/// @param version its own, such as 580.159.03; empty if unknown
/// @param cuda the highest supported CUDA version, as 1000 major + 10 minor
/// @param path of its library
/// @param gpus number of GPUs visible under CUDA_VISIBLE_DEVICES
public record NvidiaDriver(String version, int cuda, Path path, int gpus) {
    private static final String NAME = "libcuda.so.1";
    private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";
    private static final String KERNEL_MODULE = "proc/driver/nvidia/version";

    private static final int NO_DEVICE = 100; // a status of cuInit, like the keys below, from cuda.h
    private static final Map<Integer, String> REMEDIES = Map.of(
            34, // CUDA_ERROR_STUB_LIBRARY
            "this is CUDA's stand-in for linking; take its folder out of LD_LIBRARY_PATH and install NVIDIA's driver",
            802, // CUDA_ERROR_SYSTEM_NOT_READY
            "start nvidia-fabricmanager, which GPUs behind an NVSwitch need, and wait until it is done",
            803, // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
            "the driver was updated while it ran; reboot, or install the library of the driver that runs (see nvidia-smi)",
            804, // CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
            "CUDA's compat folder does not support this GPU; take it out of LD_LIBRARY_PATH");

    /// @throws CudaUnavailableException if there is no driver, or no usable GPU
    static NvidiaDriver find(SearchFolders folders, boolean askSystem) {
        NativeLibrary library = LibraryFinder.driver(folders, askSystem, NAME)
                .orElseThrow(
                        () -> new CudaUnavailableException(
                                "no NVIDIA driver: %s is not in %s; %s"
                                        .formatted(
                                                NAME,
                                                LibraryFinder.driverPlaces(folders, askSystem),
                                                Files.exists(folders.root().resolve(KERNEL_MODULE))
                                                        ? "the kernel has the driver, so run this container with NVIDIA's runtime (docker run --gpus all)"
                                                        : "install NVIDIA's driver, or in a container use NVIDIA's runtime (docker run --gpus all)")));
        LibraryLoading.requireFunctions("NVIDIA's driver", library, NeededFunctions.DRIVER, "update the driver");
        int cuda = library.ask("cuDriverGetVersion", 1)[0];
        int status = library.callInt("cuInit", 0);
        if (status != 0) {
            throw new CudaUnavailableException(noGpu(library, status, folders.environment()));
        }
        int gpus = library.ask("cuDeviceGetCount", 1)[0];
        if (gpus == 0) {
            throw new CudaUnavailableException(noGpu(library, NO_DEVICE, folders.environment()));
        }
        return new NvidiaDriver(version(library.path(), folders.root()), cuda, library.path(), gpus);
    }

    private static String noGpu(NativeLibrary library, int status, Map<String, String> environment) {
        String visible = environment.get(VISIBLE);
        String remedy = REMEDIES.getOrDefault(status, "check nvidia-smi and dmesg");
        if (status == NO_DEVICE && visible != null) {
            remedy = "%s=\"%s\" may hide GPUs; unset it, or set it to numbers that nvidia-smi -L lists"
                    .formatted(VISIBLE, visible);
        } else if (status == NO_DEVICE) {
            remedy = "this machine has none, or this container was not given one (docker run --gpus all)";
        }
        return "NVIDIA's driver is installed (%s), but finds no GPU that it can use: cuInit reports %s (%d); %s"
                .formatted(library.path(), library.name("cuGetErrorName", status), status, remedy);
    }

    /// From the name of the library's file, which may be all that a container has; otherwise from the kernel
    /// module.
    private static String version(Path library, Path root) {
        try {
            Matcher named = Pattern.compile("libcuda\\.so\\.(\\d+\\.\\d+(\\.\\d+)*)")
                    .matcher(library.toRealPath().getFileName().toString());
            if (named.matches()) {
                return named.group(1);
            }
            Path module = root.resolve("sys/module/nvidia/version");
            return Files.isReadable(module) ? Files.readString(module).strip() : "";
        } catch (IOException _) { // the version is only for display
            return "";
        }
    }

    /// Such as `13.0`.
    public String cudaVersion() {
        return "%d.%d".formatted(cuda / 1000, cuda % 1000 / 10);
    }
}
