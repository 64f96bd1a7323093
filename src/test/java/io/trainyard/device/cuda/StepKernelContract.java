package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.SessionContract;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Whole steps in one kernel, as the device chooses by itself: everything that a device must do, with the networks
/// that the kernel computes. What a loop may do besides is none of it, and goes to graphs.
abstract class StepKernelContract extends SessionContract implements FloatSamplesContract {
    /// Of the double's devices, times ten.
    abstract int capability();

    /// That computes the steps.
    abstract String kernel();

    @BeforeEach
    void chooseTheCapability() {
        NativeDouble.set(TestedCuda.CAPABILITY, Integer.toString(capability()));
    }

    @AfterEach
    void leaveTheDefault() {
        NativeDouble.set(TestedCuda.CAPABILITY, "");
    }

    @Override
    public Device device() {
        return new CudaBackend().open(new DeviceSpec("cuda:0"));
    }

    @Override
    public Workload eventful() {
        return augmentedWithoutBatchNorm();
    }

    /// A job that averages is trained by graphs and one that does not by the kernel, so their last bits differ. That
    /// graphs pass is tested where all jobs are graphs.
    @Override
    public void theAverageIsSavedAsTheModelAndWhatIsTrainedBesides() {}

    static boolean takes(Workload workload) {
        return new StepKernelRule(1).takes(workload);
    }

    static Stream<String> goldens() throws IOException {
        return NumbersContract.goldens(StepKernelContract::takes).stream();
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void trainsAsPyTorchDoes(String name) {
        long before = launches();
        NumbersContract.checkGolden(device(), name);
        assertThat(launches()).isGreaterThan(before);
    }

    @Test
    void aBatchOfManySamplesAndAShorterOneTrainAsTheReferenceDoes() {
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 5, 1, 2, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.conv(9, 3, 1, 0, false),
                Layers.flatten(),
                Layers.linear(37, true),
                Layers.relu(),
                Layers.linear(5, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 12, 11), 5, layers, CheckWorkload.MOMENTUM, 13, 31, 31);
        assertThat(takes(workload)).isTrue();
        NumbersContract.checkTraining(device(), workload);
    }

    @Test
    void stepsAreOneLaunch() {
        Workload workload = CheckWorkload.of(
                Shape.of(1, 6, 6),
                3,
                List.of(Layers.flatten(), Layers.linear(3, true)),
                CheckWorkload.MOMENTUM,
                4,
                19,
                6);
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            long before = launches();
            long graphs = NativeDouble.calls("cuGraphLaunch");
            assertThat(session.advance(4)).hasSize(4);
            assertThat(launches() - before).isEqualTo(1);
            assertThat(NativeDouble.calls("cuGraphLaunch")).isEqualTo(graphs);
        }
    }

    private long launches() {
        return NativeDouble.calls("kernel " + kernel());
    }
}
