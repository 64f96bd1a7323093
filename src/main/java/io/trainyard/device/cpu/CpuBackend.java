package io.trainyard.device.cpu;

import com.sun.management.OperatingSystemMXBean;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.NativeImage;
import io.trainyard.device.onednn.OneDnnLibrary;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The device `cpu`, available if oneDNN's native library is.
public final class CpuBackend implements DeviceBackend {
    private static final String KIND = "cpu";

    /// Supported by current CPUs; many have no bfloat16.
    static final Set<Precision> PRECISIONS = Collections.unmodifiableSet(EnumSet.of(Precision.FP32, Precision.BF16));

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public int rank() {
        return 1;
    }

    private static void requireAvailable() {
        missing().ifPresent(reason -> {
            throw new DeviceException("no device \"cpu\" here: " + reason);
        });
    }

    @Override
    public Optional<String> whyUnavailable() {
        return missing();
    }

    private static Optional<String> missing() {
        return VectorModule.whyMissing().or(OneDnnLibrary::whyUnavailable);
    }

    @Override
    public List<DeviceInfo> devices() {
        return whyUnavailable().isPresent() ? List.of() : List.of(info(OneDnnLibrary.loaded()));
    }

    @Override
    public Set<Precision> precisions() {
        return PRECISIONS;
    }

    @Override
    public String computes(Network network, Precision precision, int batchSize) {
        int threads = ThreadRule.threads(
                network, precision, batchSize, Runtime.getRuntime().availableProcessors());
        boolean narrow = VectorModule.whyMissing().isEmpty() && KernelRule.narrow(network, precision);
        return "%s, %d %s here"
                .formatted(
                        narrow ? "vector kernels of our own (a narrow network)" : "oneDNN",
                        threads,
                        threads == 1 ? "thread" : "threads");
    }

    @Override
    public Device open(DeviceSpec spec) {
        return open();
    }

    private static CpuDevice open() {
        requireAvailable();
        OneDnnLibrary library = OneDnnLibrary.loaded();
        return new CpuDevice(info(library), library, library.precisions());
    }

    @Override
    public void warmUp() {
        CpuDevice device = open();
        if (!NativeImage.IS_ONE) { // the image's kernels are already compiled
            device.warmUp().next();
        }
    }

    @Override
    public void warmUp(Network network, Precision precision, OptimizerSpec optimizer) {
        CpuDevice device = open();
        if (!NativeImage.IS_ONE && device.precisions().contains(precision)) {
            device.warmUp().once(network, precision, optimizer);
        }
    }

    private static DeviceInfo info(OneDnnLibrary library) {
        String model = processorName();
        String description = "%s, %d processors, %s"
                .formatted(model, Runtime.getRuntime().availableProcessors(), library.description());
        return new DeviceInfo(KIND, model, description, memoryBytes());
    }

    /// The machine's memory, or the container's limit.
    private static long memoryBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    /// From Linux; elsewhere the architecture.
    private static String processorName() {
        String architecture = System.getProperty("os.arch");
        if (!Files.isReadable(PROCESSORS)) {
            return architecture;
        }
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(architecture);
        } catch (IOException e) {
            return "%s (name unreadable: %s)".formatted(architecture, e.getMessage());
        }
    }
}
