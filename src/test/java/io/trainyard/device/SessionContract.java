package io.trainyard.device;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.StackCheck;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;

/// What sessions must do whatever layers they have kernels for.
public abstract class SessionContract
        implements EvaluationContract,
                DeterminismContract,
                StateContract,
                OptimizerContract,
                LossContract,
                LoopContract {
    @Override
    public abstract Device device();

    /// For sessions that have no kernel for batch norm.
    protected static Workload withoutBatchNorm() {
        return StackCheck.withoutBatchNorm();
    }

    /// The same, augmented.
    protected static Workload augmentedWithoutBatchNorm() {
        AugmentSpec augment = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.5), new Cutout(4));
        return CheckWorkload.augmented(withoutBatchNorm(), augment);
    }
}
