package io.trainyard.device.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.Dataset;
import io.trainyard.device.Device;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.GoldenContract;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.SessionContract;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.Layers;
import io.trainyard.device.check.NonFiniteCase;
import io.trainyard.device.check.NonFiniteCases;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.LayerKinds;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The device contract for several devices that work together.
public abstract class ParallelContract extends SessionContract implements GoldenContract {
    /// Golden cases that clip by norm, if the devices do not support it.
    protected Set<String> goldensItRefuses() {
        return Set.of();
    }

    /// New devices for each session.
    protected abstract List<ShardDevice> devices();

    @Override
    public Device device() {
        return new ParallelDevice(devices());
    }

    /// All kinds of kernels support this workload.
    @Override
    public Workload eventful() {
        return augmentedWithoutBatchNorm();
    }

    /// All devices except one have no sample of the last batch, but they must still draw its masks.
    @Test
    void aLastBatchOfOneSampleTrainsAsTheReferenceDoes() {
        Workload all = eventful();
        Dataset dataset = all.dataset();
        Dataset.Split fewer = dataset.train().slice(0, 17, dataset.shape());
        Workload workload =
                all.withDataset(new Dataset(dataset.name(), dataset.shape(), dataset.outputs(), fewer, dataset.test()));
        assertThat(workload.lastBatchSize()).isEqualTo(1);
        NumbersContract.checkTraining(device(), workload);

        EpochPlan plan = CheckWorkload.plan(workload, 1);
        TorchRandom expected = TorchRandom.restore(plan.random().state());
        expected.skip(workload.drawnWords(workload.stepsPerEpoch()));
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(plan, 0);
            assertThat(session.advance(workload.stepsPerEpoch())).hasSize(5);
        }
        assertThat(plan.random().state()).isEqualTo(expected.state());
    }

    @Override
    @ParameterizedTest
    @MethodSource("io.trainyard.device.GoldenCase#names")
    public void trainsAsPyTorchDoes(String name) {
        if (!goldensItRefuses().contains(name)) {
            GoldenContract.super.trainsAsPyTorchDoes(name);
        }
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.LayerCases#all")
    void trainsAndTestsAsTheReferenceDoes(LayerCase row) {
        NumbersContract.checkTraining(device(), CheckWorkload.of(row, CheckWorkload.MOMENTUM));
    }

    /// Rows in which devices exchange values before the gradients are summed: those with batch norms, and those
    /// with other losses. The tests of single devices cover all other layers.
    static Stream<NonFiniteCase> nonFiniteRowsThatCrossShards() {
        return NonFiniteCases.all().stream()
                .filter(row -> !row.loss().equals(LossSpec.DEFAULT)
                        || LayerKinds.in(row.layers()).anyMatch(BatchNorm.BatchNorm2d.class::equals));
    }

    @Test
    void someNonFiniteRowsCrossShards() {
        assertThat(nonFiniteRowsThatCrossShards()).hasSizeBetween(40, 100);
    }

    @ParameterizedTest
    @MethodSource("nonFiniteRowsThatCrossShards")
    void propagatesNonFiniteValuesLikeTheReference(NonFiniteCase row) {
        NumbersContract.checkNonFinite(device(), row);
    }

    /// ResNet-like blocks with identity and projection shortcuts, in batches of 5 and 2 samples: three devices
    /// have 1, 2 and 2 samples of the first, and one device has none of the second.
    @Test
    void residualsOfBatchNormsTrainAsTheReferenceDoes() {
        LayerSpec norm = Layers.norm();
        LayerSpec relu = Layers.relu();
        List<LayerSpec> layers = List.of(
                Layers.conv(8, 3, 1, 1, false),
                norm,
                relu,
                Layers.residual(Layers.conv(8, 3, 1, 1, false), norm, relu, Layers.conv(8, 3, 1, 1, false), norm),
                relu,
                Layers.residual(
                        List.of(Layers.conv(16, 3, 2, 1, false), norm, relu, Layers.conv(16, 3, 1, 1, false), norm),
                        Layers.conv(16, 1, 2, 0, false),
                        norm),
                relu,
                Layers.adaptive(1),
                Layers.flatten(),
                Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 8, 8), 3, layers, CheckWorkload.MOMENTUM, 5, 17, 7);
        NumbersContract.checkTraining(device(), workload);
    }
}
