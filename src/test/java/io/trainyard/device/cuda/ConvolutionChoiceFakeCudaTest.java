package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.cuda.layer.ConvolutionPlans;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import io.trainyard.worker.LogRecords;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jcuda.driver.CUresult;
import jcuda.jcudnn.cudnnStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The choice among cuDNN's engines for a convolution. On the fake CUDA libraries one engine is faster than the
/// others (`TRAINYARD_FAKE_FASTEST_ENGINE`), and the runs of each are counted.
@OnFakeCuda
final class ConvolutionChoiceFakeCudaTest {
    private static final String FASTEST = "TRAINYARD_FAKE_FASTEST_ENGINE";
    private static final String TIMED = CudaSettings.Name.TIMED_ALGORITHMS.property();
    private static final int HEURISTIC = 1;
    private static final int OTHER = 2;
    private static final int THIRD = 0;
    private static final int WINOGRAD = 6;
    private static final int TENSOR_CORES = 5;

    private static int size = 20; // image size; each test uses new shapes because choices are cached

    private final Workload workload = workload(size++);

    /// 5 x 5 kernels: three engines have a deterministic forward plan without tensor cores, and Winograd is not among
    /// them.
    private static Workload workload(int size) {
        List<LayerSpec> layers = List.of(Layers.conv(2, 5, 1, 2, true), Layers.flatten(), Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(1, size, size), 3, layers, CheckWorkload.MOMENTUM, 2, 4, 2);
    }

    private final String usual = System.getProperty(TIMED, "");

    @BeforeEach
    void timed() {
        System.setProperty(TIMED, "on");
    }

    @AfterEach
    void asTheDeviceChooses() {
        System.setProperty(TIMED, usual);
        FakeCudaLibraries.set(FASTEST, "");
    }

    private record Opened(DeviceChoices choices, Map<Integer, Long> runs) {
        /// The choice for the forward pass on the session's kind of GPU.
        int forward() {
            return Integer.parseInt(engine("FORWARD").split(" ")[1]);
        }

        String engine(String direction) {
            return choices.of(kind()).entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith(direction))
                    .findFirst()
                    .orElseThrow()
                    .getValue();
        }

        String kind() {
            return choices.byKind().keySet().stream()
                    .filter(kind -> kind.startsWith("Trainyard fake GPU"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /// Opens a session and takes a step; runs for timing are not counted.
    private static Opened open(Workload workload) {
        try (LearningSession session = TestedCuda.device().open(workload)) {
            Map<Integer, Long> before = runs();
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            float[] _ = session.advance(2);
            Map<Integer, Long> runs = runs();
            runs.replaceAll((number, count) -> count - before.getOrDefault(number, 0L));
            return new Opened(session.choices(), runs);
        }
    }

    private static Map<Integer, Long> runs() {
        Map<Integer, Long> runs = new TreeMap<>();
        for (int number : new int[] {HEURISTIC, OTHER, THIRD}) {
            runs.put(number, FakeCudaLibraries.calls("cuDNN forward, engine " + number));
        }
        return runs;
    }

    /// The fake cuDNN's Winograd engine requires 3x3 kernels, and its heuristic lists it early.
    @Test
    void forwardNoSampleDependsOnAnother() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(WINOGRAD));
        List<LayerSpec> layers = List.of(Layers.conv(4, 3, 1, 1, true), Layers.flatten(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 9, 8), 3, layers, CheckWorkload.PLAIN, 2, 4, 2);
        assertThat(open(workload).forward()).isNotEqualTo(WINOGRAD);
        assertThat(open(workload.withPrecision(Precision.TF32)).forward()).isNotEqualTo(WINOGRAD);
    }

    /// cuDNN may plan with an engine that it then refuses to run.
    @Test
    void skipsARejectedEngine() {
        FakeCudaLibraries.fail("cudnnBackendExecute", 1, cudnnStatus.CUDNN_STATUS_NOT_SUPPORTED);
        assertThat(open(workload).forward()).isNotEqualTo(HEURISTIC);
    }

    @Test
    void choosesTheFastestEngine() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(OTHER));
        Opened opened = open(workload);
        assertThat(opened.forward()).isEqualTo(OTHER);
        assertThat(opened.runs().get(OTHER)).isPositive();
        assertThat(opened.runs().get(HEURISTIC)).isZero();
    }

    @Test
    void choosesTheHeuristicsFirstWithoutTiming() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(OTHER));
        System.setProperty(TIMED, "off");
        assertThat(open(workload).forward()).isEqualTo(HEURISTIC);
    }

    @Test
    void aResumedJobKeepsItsEngineEvenIfAnotherIsFaster() {
        System.setProperty(TIMED, "off");
        DeviceChoices before = open(workload).choices();
        System.setProperty(TIMED, "on");
        FakeCudaLibraries.set(FASTEST, Integer.toString(OTHER));
        assertThat(open(workload).forward()).as("one that begins").isEqualTo(OTHER);
        Opened resumed = open(workload.withChoices(before));
        assertThat(resumed.forward()).isEqualTo(HEURISTIC);
        assertThat(resumed.runs().get(HEURISTIC)).isPositive();
        assertThat(resumed.runs().get(OTHER)).isZero();
        assertThat(resumed.choices()).isEqualTo(before);
    }

    @Test
    void keepsTimedChoicesWithoutTiming() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(THIRD));
        DeviceChoices before = open(workload).choices();
        System.setProperty(TIMED, "off");
        assertThat(open(workload.withChoices(before)).forward()).isEqualTo(THIRD);
    }

    @Test
    void anotherKindOfGpuChoosesAgainAndKeepsEarlierChoices() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(OTHER));
        Map<String, String> elsewhere = Map.of("FORWARD of something", "engine 6 knobs 2=1");
        DeviceChoices before = new DeviceChoices(Map.of("NVIDIA L4, cuDNN 9.1.0", elsewhere));
        Opened opened = open(workload.withChoices(before));
        assertThat(opened.forward()).isEqualTo(OTHER);
        assertThat(opened.choices().of("NVIDIA L4, cuDNN 9.1.0")).isEqualTo(elsewhere);
    }

    @Test
    void choosesTheHeuristicsFirstWithoutMemoryForTiming() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(OTHER));
        FakeCudaLibraries.fail("cuMemAlloc", 1, CUresult.CUDA_ERROR_OUT_OF_MEMORY);
        try {
            assertThat(open(workload).forward()).isEqualTo(HEURISTIC);
        } finally {
            FakeCudaLibraries.failNoMore("cuMemAlloc");
        }
    }

    @Test
    void noEngineIsNonDeterministicOrImprecise() {
        FakeCudaLibraries.set(FASTEST, Integer.toString(TENSOR_CORES)); // non-deterministic except forward
        Opened opened = open(workload);
        assertThat(opened.engine("FORWARD")).isEqualTo("engine 1 knobs 2=2,12=3");
        assertThat(opened.engine("TO_FILTER")).isEqualTo("engine 1 knobs 2=2");
        Opened tf32 = open(workload.withPrecision(Precision.TF32));
        assertThat(tf32.forward()).isEqualTo(TENSOR_CORES);
        assertThat(tf32.engine("TO_FILTER")).isEqualTo("engine 1 knobs 2=2");
    }

    /// Also if the job was computed by a release that recorded numbers.
    @Test
    void choosesAgainIfTheRecordedEngineIsNoLongerOffered() {
        Opened first = open(workload);
        Map<String, String> gone = new TreeMap<>(first.choices().of(first.kind()));
        gone.replaceAll((convolution, _) -> convolution.startsWith("FORWARD") ? "engine 99 knobs " : "1");
        try (LogRecords log = LogRecords.of(ConvolutionPlans.class)) {
            Opened again = open(workload.withChoices(new DeviceChoices(Map.of(first.kind(), gone))));
            assertThat(again.choices()).isEqualTo(first.choices());
            assertThat(log.warnings())
                    .extracting(warning ->
                            List.of(warning.getParameters()).subList(1, 3).toString())
                    .anySatisfy(what -> assertThat(what).startsWith("[engine 99 knobs , FORWARD of 2 times"))
                    .anySatisfy(what -> assertThat(what).startsWith("[1, TO_FILTER of 2 times"));
        }
    }

    /// cuDNN's legacy functions refuse some of them.
    @ParameterizedTest
    @CsvSource({"4, 1", "1, 2", "2, 2"})
    void computesGroupsAndDilationInBfloat16(int groups, int dilation) {
        List<LayerSpec> layers =
                List.of(Layers.conv(4, 3, 1, 2, dilation, groups, true), Layers.flatten(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(4, size++, 9), 3, layers, CheckWorkload.PLAIN, 2, 4, 2)
                .withPrecision(Precision.BF16);
        assertThat(open(workload).engine("TO_FILTER")).isEqualTo("engine 1 knobs 2=2");
    }
}
