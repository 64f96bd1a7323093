package io.trainyard.device.cuda.layer;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.LayerCases;
import io.trainyard.device.cuda.layer.Convolution.Direction;
import io.trainyard.device.cuda.layer.ConvolutionPlan.Engine;
import io.trainyard.device.cuda.layer.GraphDescriptors.Descriptor;
import io.trainyard.device.cuda.library.InstalledCudnn;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Windows;
import java.lang.foreign.Arena;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// NVIDIA's cuDNN has plans for all convolutions of the layer checks, in all precisions and directions. No GPU is
/// needed:
/// the device is described. Runs alone in a JVM, because the fake CUDA libraries have the same names:
/// `-Dcudnn=FOLDER`, with the folder `nvidia` of Python's packages `nvidia-cudnn-cu13`, `nvidia-cublas` and
/// `nvidia-cuda-nvrtc`.
@Slow
@EnabledIfSystemProperty(named = "cudnn", matches = ".+")
class InstalledCudnnTest {
    private static final int BATCH = 5;

    private static final String H200 = """
            {"deviceName": "NVIDIA H200", "maxGridSize": [2147483647, 65535, 65535],
            "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536, "multiProcessorCount": 132,
            "warpSize": 32, "maxSharedMemoryPerBlock": 49152,
            "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024,
            "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024,
            "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1,
            "smClockRateKHz": 1980000, "memClockRateKHz": 3201000, "l2CacheSize": 62914560,
            "deviceVer": 900, "driverVer": 13000, "totalGlobalMem": 150000000000,
            "cudaDeviceId": 0}""";

    private static final int DEVICE = 38; // CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, which JCudnn lacks like the following
    private static final int DEVICE_JSON = 2702;
    private static final int CHARS = 24;

    /// The attribute of each type of descriptors that names the device.
    private static final Map<Integer, Integer> DEVICE_OF = Map.of(4, 204, 2, 1307, 5, 407);

    @Test
    void plansAllConvolutions() {
        InstalledCudnn.load(System.getProperty("cudnn"));
        GraphDescriptors described = new GraphDescriptors((_, _) -> {});
        Descriptor h200 = described.create(DEVICE);
        try (Arena arena = Arena.ofConfined()) {
            h200.set(DEVICE_JSON, CHARS, H200.length() + 1, arena.allocateFrom(H200))
                    .finish("the device");
        }
        BiConsumer<Descriptor, Integer> device = (descriptor, type) -> {
            Integer attribute = DEVICE_OF.get(type);
            if (attribute != null) {
                descriptor.descriptors(attribute, h200);
            }
        };
        Set<Convolution> all = convolutions();
        assertThat(all).hasSizeGreaterThan(100);
        for (Convolution convolution : all) {
            List<Engine> offered = ConvolutionPlan.offered(device, convolution);
            List<ConvolutionPlan> plans = ConvolutionPlan.of(offered, 8, device, convolution, "H200");
            assertThat(plans).as("of %s, with %s", convolution, offered).isNotEmpty();
            plans.forEach(ConvolutionPlan::close);
        }
        described.close();
    }

    private static Set<Convolution> convolutions() {
        Set<Convolution> all = new LinkedHashSet<>();
        for (LayerCase row : LayerCases.all()) {
            Network network = CheckWorkload.of(row, CheckWorkload.PLAIN).network();
            for (Precision precision : Precision.values()) {
                for (Network.Layer layer : network.allLayers()) {
                    if (layer.spec() instanceof Conv2d conv) {
                        for (Direction direction : Direction.values()) {
                            all.add(new Convolution(
                                    direction,
                                    BATCH,
                                    padded(layer.in(), conv.windows()),
                                    layer.out(),
                                    conv.windows(),
                                    conv.groups(),
                                    Numbers.of(precision, network)));
                        }
                    }
                }
            }
        }
        return all;
    }

    private static Shape padded(Shape in, Windows windows) {
        return Shape.of(
                in.size(0),
                in.size(1) + windows.rows().after() - windows.rows().before(),
                in.size(2) + windows.columns().after() - windows.columns().before());
    }
}
