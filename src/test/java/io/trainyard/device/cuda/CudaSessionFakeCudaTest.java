package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import jcuda.driver.CUresult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A session's use of its GPU: memory, launches and failures.
@OnFakeCuda
final class CudaSessionFakeCudaTest {
    private static final String MEMORY = "TRAINYARD_FAKE_MEMORY_BYTES";
    private static final String GROUPED = "TRAINYARD_FAKE_GROUPED_BF16";
    private static final long MIB = 1 << 20;

    private final Device device = TestedCuda.device();
    private long descriptors;

    @BeforeEach
    void count() {
        descriptors = FakeCudaLibraries.alive("cudnnDescriptor");
    }

    @AfterEach
    void allResourcesAreFreed() {
        FakeCudaLibraries.set(MEMORY, "");
        for (String kind : List.of("memory", "pinned", "stream", "event", "graph", "executable", "module")) {
            assertThat(FakeCudaLibraries.alive(kind)).as(kind).isZero();
        }
        assertThat(FakeCudaLibraries.alive("cudnnHandle")).isZero();
        assertThat(FakeCudaLibraries.alive("cublasHandle")).isZero();
        assertThat(FakeCudaLibraries.alive("cudnnDescriptor")).isEqualTo(descriptors);
    }

    @Test
    void stepsAllocateNothingAndLaunchGraphs() {
        Workload workload = CheckWorkload.of(
                Shape.of(1, 6, 6), 3, network(), CheckWorkload.MOMENTUM, 4, 19, 6); // no masks to upload
        try (LearningSession session = started(workload)) {
            List<String> calls =
                    List.of("cuMemAlloc", "cuMemHostAlloc", "cuLaunchKernel", "cudnnBackendExecute", "cublasGemmEx");
            long[] before = calls.stream().mapToLong(FakeCudaLibraries::calls).toArray();
            long graphs = FakeCudaLibraries.calls("cuGraphLaunch");
            long synchronisations = FakeCudaLibraries.calls("cuStreamSynchronize");
            assertThat(session.advance(5)).hasSize(5);
            assertThat(calls.stream().mapToLong(FakeCudaLibraries::calls).toArray())
                    .isEqualTo(before);
            assertThat(FakeCudaLibraries.calls("cuGraphLaunch") - graphs)
                    .as("four full batches are one, the short one another")
                    .isEqualTo(2);
            assertThat(FakeCudaLibraries.calls("cuStreamSynchronize") - synchronisations)
                    .as("before and after the copy of the updates' scalars, once for the losses")
                    .isEqualTo(3);
        }
    }

    @Test
    void rejectsAJobThatDoesNotFitWithBothSizes() {
        Workload workload = CheckWorkload.eventful();
        FakeCudaLibraries.set(MEMORY, Long.toString(160 * MIB));
        long allocations = FakeCudaLibraries.calls("cuMemAlloc");
        assertThatThrownBy(() -> device.open(workload))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageMatching(
                        "the job needs \\d+ MiB on cuda:0 for batches of 4, but \\d+ MiB are free there; choose a smaller batchSize or network, or free the GPU: nvidia-smi shows the processes that use it");
        assertThat(FakeCudaLibraries.calls("cuMemAlloc"))
                .as("refused before anything was allocated but to warm up the libraries")
                .isEqualTo(allocations + 1);
    }

    @Test
    void sendsImagesAheadIfTheyDoNotFit() {
        // 1500 images of 64 KiB: 94 MiB, several blocks of 8 MiB
        List<LayerSpec> layers =
                List.of(Layers.conv(2, 3, 8, 0, true), Layers.pool(4, 4), Layers.flatten(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 256, 256), 3, layers, CheckWorkload.MOMENTUM, 16, 1500, 600);
        long resident = FakeCudaLibraries.calls("cuMemcpyHtoDAsync");
        Trained expected = train(workload);
        assertThat(FakeCudaLibraries.calls("cuMemcpyHtoDAsync"))
                .as("nothing was sent")
                .isEqualTo(resident);
        FakeCudaLibraries.set(MEMORY, Long.toString(280 * MIB));
        Trained streamed = train(workload);
        assertThat(FakeCudaLibraries.calls("cuMemcpyHtoDAsync")).isGreaterThan(resident + 10);
        assertThat(streamed.losses()).isEqualTo(expected.losses());
        assertThat(Bits.of(streamed.state())).isEqualTo(Bits.of(expected.state()));
        assertThat(streamed.testLoss()).isEqualTo(expected.testLoss());
        assertThat(streamed.probabilities()).isEqualTo(expected.probabilities());
    }

    private record Trained(float[] losses, SessionState state, double testLoss, float[] probabilities) {}

    /// Several calls, so that blocks of several sizes are uploaded.
    private Trained train(Workload workload) {
        try (LearningSession session = started(workload)) {
            int steps = workload.stepsPerEpoch();
            float[] losses = new float[steps];
            for (int done = 0; done < steps; ) {
                int piece = Math.min(steps - done, 7 + done % 13);
                System.arraycopy(session.advance(piece), 0, losses, done, piece);
                done += piece;
            }
            return new Trained(losses, session.save(), session.evaluate().testLoss(), session.predict());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuMemAlloc", "cuMemHostAlloc", "cuStreamCreate", "cuEventCreate", "cuGraphInstantiate"})
    void aFailureWhileOpeningFreesEverything(String call) {
        String function = call.equals("cuGraphInstantiate") ? "cuGraphInstantiateWithFlags" : call; // JCuda's name
        FakeCudaLibraries.fail(function, 1, CUresult.CUDA_ERROR_OUT_OF_MEMORY);
        try {
            assertThatThrownBy(() -> device.open(CheckWorkload.eventful()))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith(call)
                    .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY (2)")
                    .hasMessageEndingWith("free the GPU: nvidia-smi shows the processes that use it");
        } finally {
            FakeCudaLibraries.failNoMore(function);
        }
    }

    @Test
    void reportsAnUnsupportedCuDnnLayerByName() {
        FakeCudaLibraries.fail("cudnnBackendExecute", 4, 3000); // after the three of the warm-up
        try {
            assertThatThrownBy(() -> device.open(CheckWorkload.eventful()))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining(
                            "cudnnBackendExecute, FORWARD by engine 1 knobs 2=2,12=3 of convolution 0 of 4 times")
                    .hasMessageContaining("CUDNN_STATUS_NOT_SUPPORTED");
        } finally {
            FakeCudaLibraries.failNoMore("cudnnBackendExecute");
        }
    }

    /// Includes errors of CUDA 13, which JCuda has no names for.
    @ParameterizedTest
    @ValueSource(ints = {CUresult.CUDA_ERROR_LAUNCH_FAILED, CUresult.CUDA_ERROR_ILLEGAL_ADDRESS, 226, 721, 810, 911})
    void aLostContextStaysLostUntilTheProcessEnds(int status) {
        Workload workload = CheckWorkload.eventful();
        LearningSession session = started(workload);
        FakeCudaLibraries.fail("kernel sgd", 1, status);
        assertThatThrownBy(() -> session.advance(2))
                .isInstanceOf(DeviceLostException.class)
                .hasMessageContaining(" (%d)", status)
                .hasMessageContaining("this process can no longer use it: start another");
        assertThatThrownBy(session::save).as("it stays lost").isInstanceOf(DeviceLostException.class);
        session.close();
        FakeCudaLibraries.failNoMore("kernel sgd");
        assertThatThrownBy(() -> started(workload)).isInstanceOf(DeviceLostException.class);
        FakeCudaLibraries.relaunch();
        try (LearningSession next = started(workload)) {
            assertThat(next.advance(1)).hasSize(1);
        }
    }

    @Test
    void theContextIsKeptForTheNextSession() {
        started(CheckWorkload.eventful()).close();
        long retained = FakeCudaLibraries.calls("cuDevicePrimaryCtxRetain");
        started(CheckWorkload.eventful()).close();
        assertThat(FakeCudaLibraries.calls("cuDevicePrimaryCtxRetain")).isEqualTo(retained);
        assertThat(device.usedMemoryBytes()).isPresent();
        assertThat(FakeCudaLibraries.calls("cuDevicePrimaryCtxRetain")).isEqualTo(retained);
        assertThat(FakeCudaLibraries.alive("context")).isPositive();
    }

    /// The memory of cuBLAS and cuDNN is reserved before the job's own. Otherwise the job would fail during
    /// graph capture.
    @Test
    void rejectsAJobThatDoesNotFitNextToTheLibraries() {
        FakeCudaLibraries.relaunch(); // nothing is loaded yet
        FakeCudaLibraries.set(MEMORY, Long.toString(130 * MIB));
        assertThatThrownBy(() -> device.open(CheckWorkload.eventful()))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageStartingWith("the job needs");
    }

    /// cuDNN's documentation does not say whether this works.
    @Test
    void rejectsBfloat16GroupsWithoutDeterministicGradients() {
        FakeCudaLibraries.set(GROUPED, "0");
        try {
            List<LayerSpec> layers =
                    List.of(Layers.conv(4, 3, 1, 0, 1, 4, true), Layers.flatten(), Layers.linear(3, true));
            Workload workload = CheckWorkload.of(Shape.of(4, 9, 9), 3, layers, CheckWorkload.MOMENTUM, 5, 10, 5)
                    .withPrecision(Precision.BF16);
            assertThatThrownBy(() -> device.open(workload))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("cuDNN has no deterministic engine")
                    .hasMessageContaining("4 groups")
                    .hasMessageEndingWith("choose another shape or precision");
        } finally {
            FakeCudaLibraries.set(GROUPED, "");
        }
    }

    @Test
    void namesAMissingGpu() {
        assertThatThrownBy(() -> new CudaBackend().open(new DeviceSpec("cuda:7")))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "there is no device cuda:7 here; there are 2, cuda:0 to cuda:1. Check nvidia-smi and CUDA_VISIBLE_DEVICES");
    }

    private LearningSession started(Workload workload) {
        LearningSession session = device.open(workload);
        session.load(CheckWorkload.state(workload));
        session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
        return session;
    }

    private static List<LayerSpec> network() {
        return List.of(
                Layers.conv(3, 3, 1, 1, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.flatten(),
                Layers.linear(3, true));
    }
}
