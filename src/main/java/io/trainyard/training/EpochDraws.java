package io.trainyard.training;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;

/// The numbers that a PyTorch training script draws from its default generator in an epoch, in the same order.
final class EpochDraws {
    private EpochDraws() {}

    /// The training pass: DataLoader's base seed (drawn but unused), and the sampler's seed when shuffling. The
    /// session draws augmentation and dropout masks afterwards.
    static EpochPlan train(Workload workload, boolean shuffle, StepRates rates, TorchRandom random) {
        var _ = random.nextLong();
        int samples = workload.dataset().train().size();
        int[] order = shuffle ? TorchRandom.permutation(random.nextLong(), samples) : TorchRandom.identity(samples);
        return new EpochPlan(order, rates.learningRates(), rates.groupRates(), rates.momenta(), random);
    }

    /// The test pass: DataLoader's base seed.
    static void test(TorchRandom random) {
        var _ = random.nextLong();
    }
}
