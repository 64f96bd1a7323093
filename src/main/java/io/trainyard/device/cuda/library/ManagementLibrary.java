package io.trainyard.device.cuda.library;

import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceReading;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/// NVIDIA's management library, NVML, which nvidia-smi uses as well: current metrics of GPUs. It is part of the
/// driver; without it only the metrics are missing. Calls may take long if a GPU is failing.
public final class ManagementLibrary {
    private static final String NAME = "libnvidia-ml.so.1";

    /// The size of the largest answer, three numbers of 64 bits.
    private static final int ANSWER_BYTES = 24;

    private static final int SENSOR_OF_THE_GPU = 0;
    private static final double THOUSAND = 1000; // NVML uses milliwatts and millijoules

    /// Indices in `nvmlMemory_t`: total, free, used.
    private static final int TOTAL = 0;

    private static final int USED = 2;

    private sealed interface Loaded {
        record Here(ManagementLibrary library) implements Loaded {}

        record Missing(String reason) implements Loaded {}
    }

    private static final class Holder {
        static final Loaded LOADED = load(SearchFolders.ofProcess(), true);
    }

    private final NativeLibrary library;

    private ManagementLibrary(NativeLibrary library) {
        this.library = library;
    }

    /// The library of this process; empty if it is missing or does not work.
    public static Optional<ManagementLibrary> loaded() {
        return Holder.LOADED instanceof Loaded.Here(ManagementLibrary library)
                ? Optional.of(library)
                : Optional.empty();
    }

    /// For display, in one line: its file, or why it is missing.
    public static String description() {
        return switch (Holder.LOADED) {
            case Loaded.Here(ManagementLibrary here) -> "NVML: " + here.library.path();
            case Loaded.Missing(String reason) -> "NVML: " + reason;
        };
    }

    private static Loaded load(SearchFolders folders, boolean askSystem) {
        try {
            Optional<NativeLibrary> found = LibraryFinder.driver(folders, askSystem, NAME);
            if (found.isEmpty()) {
                return new Loaded.Missing(
                        "%s is not in %s, so utilisation, power and temperature are unknown; in a container add \"utility\" to NVIDIA_DRIVER_CAPABILITIES"
                                .formatted(NAME, LibraryFinder.driverPlaces(folders, askSystem)));
            }
            ManagementLibrary library = new ManagementLibrary(found.get());
            library.check("nvmlInit_v2");
            return new Loaded.Here(library);
        } catch (CudaUnavailableException e) {
            return new Loaded.Missing(e.reason());
        } catch (DeviceException e) {
            return new Loaded.Missing(String.valueOf(e.getMessage()));
        }
    }

    /// Current metrics of a GPU.
    ///
    /// @param device its name in jobs
    /// @param busId CUDA's PCI bus id: `0000:3b:00.0`. A MIG instance has that of its GPU
    /// @throws DeviceException if NVML does not know the GPU, or has lost it
    public DeviceReading read(String device, String busId) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(ANSWER_BYTES, Long.BYTES);
            check("nvmlDeviceGetHandleByPciBusId_v2", arena.allocateFrom(busId), answer);
            MemorySegment gpu = answer.get(ValueLayout.ADDRESS, 0);
            Double utilization =
                    query("nvmlDeviceGetUtilizationRates", gpu, answer) ? number(answer) / 100.0 : null; // from percent
            boolean memory = query("nvmlDeviceGetMemoryInfo", gpu, answer);
            Long used = memory ? answer.getAtIndex(ValueLayout.JAVA_LONG, USED) : null;
            Long total = memory ? answer.getAtIndex(ValueLayout.JAVA_LONG, TOTAL) : null;
            Double power = query("nvmlDeviceGetPowerUsage", gpu, answer) ? number(answer) / THOUSAND : null;
            Double energy = query("nvmlDeviceGetTotalEnergyConsumption", gpu, answer)
                    ? answer.get(ValueLayout.JAVA_LONG, 0) / THOUSAND
                    : null;
            Double temperature =
                    query("nvmlDeviceGetTemperature", gpu, SENSOR_OF_THE_GPU, answer) ? (double) number(answer) : null;
            return new DeviceReading(device, utilization, used, total, power, energy, temperature);
        }
    }

    private static int number(MemorySegment answer) {
        return answer.get(ValueLayout.JAVA_INT, 0);
    }

    /// False if the GPU does not support the query, or the driver has no such function.
    private boolean query(String function, Object... arguments) {
        return library.has(function) && library.callInt(function, arguments) == 0;
    }

    private void check(String function, Object... arguments) {
        int status = library.callInt(function, arguments);
        if (status != 0) {
            throw new DeviceException("%s of NVML fails: %s (%d); check nvidia-smi and dmesg"
                    .formatted(function, library.textOf("nvmlErrorString", status), status));
        }
    }
}
