package io.trainyard.training;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.JobSpec;
import java.util.Arrays;

/// The numbers that a PyTorch training script draws from its default generator in an epoch, in the same order.
final class EpochDraws {
    private EpochDraws() {}

    /// The training pass: DataLoader's base seed (drawn but unused), and the sampler's seed when shuffling, or the
    /// balanced sampler's samples. The session draws augmentation and dropout masks afterwards.
    static EpochPlan train(Workload workload, JobSpec job, StepRates rates, TorchRandom random) {
        var _ = random.nextLong();
        int samples = workload.dataset().train().size();
        int[] order = job.sampler() != null
                ? random.multinomial(balancedWeights(workload.dataset().train().labels()))
                : job.shuffle() ? TorchRandom.permutation(random.nextLong(), samples) : TorchRandom.identity(samples);
        return new EpochPlan(order, rates.learningRates(), rates.groupRates(), rates.momenta(), random);
    }

    private static double[] balancedWeights(int[] labels) {
        int[] counts = new int[Arrays.stream(labels).max().orElse(0) + 1];
        for (int label : labels) {
            counts[label]++;
        }
        return Arrays.stream(labels).mapToDouble(label -> 1.0 / counts[label]).toArray();
    }

    /// The test pass: DataLoader's base seed.
    static void test(TorchRandom random) {
        var _ = random.nextLong();
    }
}
