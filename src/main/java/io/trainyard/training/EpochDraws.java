package io.trainyard.training;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;

/// What a PyTorch training script draws from its default generator during an epoch, in that order.
final class EpochDraws {
    private EpochDraws() {}

    /// The training pass: DataLoader's base seed (drawn, though nothing here uses it), the sampler's seed when
    /// shuffling. Augmentation and dropout masks follow, drawn by the session as it trains.
    static EpochPlan train(Workload workload, boolean shuffle, StepRates rates, TorchRandom random) {
        var _ = random.nextLong();
        int samples = workload.dataset().train().size();
        int[] order = shuffle ? TorchRandom.permutation(random.nextLong(), samples) : TorchRandom.identity(samples);
        return new EpochPlan(order, rates.learningRates(), rates.momenta(), random);
    }

    /// The test pass: DataLoader's base seed.
    static void test(TorchRandom random) {
        var _ = random.nextLong();
    }
}
