package io.trainyard.device;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;

/// The contract of sessions, independent of their layers.
public abstract class SessionContract
        implements EvaluationContract,
                DeterminismContract,
                StateContract,
                OptimizerContract,
                LossContract,
                LoopContract {
    @Override
    public abstract Device device();

    /// For sessions without a batch norm kernel: replaces the batch norm of [CheckWorkload#eventful] by a
    /// convolution. The last batch of an epoch has 3 samples, and the test set 2 batches.
    protected static Workload withoutBatchNorm() {
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 3, 1, 1, true),
                Layers.conv(5, 3, 1, 1, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.dropout(0.25),
                Layers.flatten(),
                Layers.linear(10, true),
                Layers.dropout(0.5),
                Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(2, 8, 7), 3, layers, CheckWorkload.MOMENTUM, 4, 19, 6);
    }

    /// The same with augmentation.
    protected static Workload augmentedWithoutBatchNorm() {
        AugmentSpec augment = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.5), new Cutout(4));
        return withoutBatchNorm().withAugment(augment);
    }
}
