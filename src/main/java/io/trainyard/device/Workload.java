package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Targets;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.UpdateSpec;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/// The input of a session's compilation.
///
/// @param loop settings of the training loop
/// @param batchSize samples in a step; at most the size of the training part
/// @param augment of the training samples
/// @param precision of the computation; affects the results. [#requirePrecision] is for devices that do not support
///     all
/// @param threads CPU threads; 0 lets the device choose by the network's shapes. The number affects the results:
///     [LearningSession#threads] returns it
/// @param trains false for a session that only tests and predicts
/// @param choices algorithms that earlier sessions selected by timing, and this one reuses.
///     [LearningSession#choices] returns its own
/// @param sharers number of concurrent sessions on this machine: a device that chooses the number of threads uses
///     an equal share of the CPUs
public record Workload(
        Network network,
        LossSpec loss,
        OptimizerSpec optimizer,
        LoopSpec loop,
        int batchSize,
        Dataset dataset,
        PixelScale scale,
        AugmentSpec augment,
        Precision precision,
        int threads,
        boolean trains,
        DeviceChoices choices,
        int sharers) {
    public Workload(
            Network network,
            LossSpec loss,
            OptimizerSpec optimizer,
            LoopSpec loop,
            int batchSize,
            Dataset dataset,
            PixelScale scale,
            AugmentSpec augment,
            Precision precision,
            int threads,
            boolean trains) {
        this(
                network,
                loss,
                optimizer,
                loop,
                batchSize,
                dataset,
                scale,
                augment,
                precision,
                threads,
                trains,
                DeviceChoices.NONE,
                1);
    }

    /// For training and tests, with PyTorch's default cross-entropy and the default loop.
    public Workload(
            Network network,
            OptimizerSpec optimizer,
            int batchSize,
            Dataset dataset,
            PixelScale scale,
            AugmentSpec augment,
            Precision precision,
            int threads) {
        this(
                network,
                LossSpec.DEFAULT,
                optimizer,
                LoopSpec.NONE,
                batchSize,
                dataset,
                scale,
                augment,
                precision,
                threads,
                true);
    }

    public Workload {
        loss.requireFit(dataset.name(), dataset.train().targets() instanceof Targets.Numbers, network.classes());
        if (batchSize < 1 || batchSize > dataset.train().size()) {
            throw new InvalidJobException("batchSize is %d, but dataset %s has %d training samples; allowed is 1 to %d"
                    .formatted(
                            batchSize,
                            dataset.name(),
                            dataset.train().size(),
                            dataset.train().size()));
        }
        boolean batchOfOne =
                batchSize == 1 || (!loop.dropLast() && dataset.train().size() % batchSize == 1);
        if (batchOfOne) {
            network.wholeBatchLayers().forEach(layer -> requireVariance(layer, dataset));
        }
        if (!augment.isNone() && dataset.shape().rank() != 3) {
            throw new InvalidJobException(
                    "dataset.augment varies images, but a sample of dataset %s is a row of %s features; leave augment out"
                            .formatted(dataset.name(), dataset.shape()));
        }
    }

    /// A single value has no variance; PyTorch refuses it as well.
    private static void requireVariance(Network.Layer layer, Dataset dataset) {
        boolean oneValue = layer.in().elements() == layer.in().size(0);
        if (oneValue) {
            throw new InvalidJobException(
                    "layer \"%s\" (%s) is given %s, which is one value per channel in a batch of one sample and has no variance; choose a batchSize above 1 that does not leave 1 of the %d training samples for the last batch, or dropLast, or give the layer larger images"
                            .formatted(
                                    layer.name(),
                                    layer.spec().getClass().getSimpleName(),
                                    layer.in(),
                                    dataset.train().size()));
        }
    }

    public Workload withThreads(int number) {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, augment, precision, number, trains, choices,
                sharers);
    }

    public Workload withSharers(int number) {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, augment, precision, threads, trains, choices,
                number);
    }

    public Workload withChoices(DeviceChoices others) {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, augment, precision, threads, trains, others,
                sharers);
    }

    public Workload withDataset(Dataset other) {
        return new Workload(
                network, loss, optimizer, loop, batchSize, other, scale, augment, precision, threads, trains, choices,
                sharers);
    }

    public Workload withLoss(LossSpec other) {
        return new Workload(
                network, other, optimizer, loop, batchSize, dataset, scale, augment, precision, threads, trains,
                choices, sharers);
    }

    public Workload withLoop(LoopSpec other) {
        return new Workload(
                network, loss, optimizer, other, batchSize, dataset, scale, augment, precision, threads, trains,
                choices, sharers);
    }

    public Workload withOptimizer(OptimizerSpec other) {
        return new Workload(
                network, loss, other, loop, batchSize, dataset, scale, augment, precision, threads, trains, choices,
                sharers);
    }

    public Workload withAugment(AugmentSpec other) {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, other, precision, threads, trains, choices,
                sharers);
    }

    public Workload withPrecision(Precision other) {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, augment, other, threads, trains, choices,
                sharers);
    }

    /// For tests and predictions only, without the resources for training.
    public Workload forTests() {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, augment, precision, threads, false, choices,
                sharers);
    }

    public SampleWeights sampleWeights() {
        return SampleWeights.of(loss, network.classes());
    }

    /// @param device the device's name, for the message
    /// @param allowed precisions of the device
    /// @param ofKind precisions that devices of its kind can support
    /// @throws DevicePrecisionException if another device of the kind may support the precision
    /// @throws DeviceException if no device of the kind supports it
    public void requirePrecision(String device, Set<Precision> allowed, Set<Precision> ofKind) {
        if (allowed.contains(precision)) {
            return;
        }
        String refusal = "precision is %s, but device %s computes in %s only"
                .formatted(
                        precision,
                        device,
                        allowed.stream().sorted().map(Precision::toString).collect(Collectors.joining(" or ")));
        if (ofKind.contains(precision)) {
            throw new DevicePrecisionException(
                    refusal + " on this machine; leave precision out, or have a worker on a machine that has it");
        }
        throw new DeviceException(refusal + "; leave precision out, or use a device that supports it, such as cuda");
    }

    /// The mean of a batch's losses. Infinite if the sum overflows float32, because PyTorch adds losses in float32.
    /// NaN if all samples have weight 0, even if label smoothing gives them a loss.
    ///
    /// @param sum of the losses
    /// @param weight [SampleWeights#sum] of their samples
    public static float meanLoss(double sum, double weight) {
        if (weight == 0) {
            return Float.NaN;
        }
        return Float.isInfinite((float) sum) ? (float) sum : (float) (sum / weight);
    }

    public UpdateSpec update() {
        return new UpdateSpec(optimizer, loop);
    }

    /// Steps in an epoch, one for each batch; the last batch may be shorter.
    public int stepsPerEpoch() {
        int samples = dataset.train().size();
        return loop.dropLast() ? samples / batchSize : Math.ceilDiv(samples, batchSize);
    }

    public int updatesPerEpoch() {
        return Math.ceilDiv(stepsPerEpoch(), loop.accumulateSteps());
    }

    /// Whether the optimizer takes its step in this step of the epoch: after the last batch of a group, and after
    /// the last batch of the epoch, which may end a shorter group.
    public boolean updatesAt(int step) {
        return (step + 1) % loop.accumulateSteps() == 0 || step + 1 == stepsPerEpoch();
    }

    /// Expands a value for each optimizer step to each step of the epoch; empty stays empty.
    public double[] perStep(double[] perUpdate) {
        double[] values = new double[perUpdate.length == 0 ? 0 : stepsPerEpoch()];
        Arrays.setAll(values, step -> perUpdate[step / loop.accumulateSteps()]);
        return values;
    }

    public int firstSample(int step) {
        return step * batchSize;
    }

    public int samples(int step) {
        return Math.min(batchSize, dataset.train().size() - firstSample(step));
    }

    public int lastBatchSize() {
        return samples(stepsPerEpoch() - 1);
    }

    public Augmentation augmentation() {
        return new Augmentation(augment, dataset.shape());
    }

    /// Generator words of the first `steps` steps of an epoch, for augmentation and dropout masks. A session that
    /// resumes within an epoch skips them.
    public long drawnWords(int steps) {
        long samples = Math.min((long) steps * batchSize, dataset.train().size());
        long maskWords = network.maskElements() * TorchRandom.WORDS_PER_MASK_ELEMENT;
        return samples * (augmentation().wordsPerSample() + maskWords);
    }

    /// A generous estimate of a session's memory without the dataset: parameters with gradients, optimizer state
    /// and copies in other layouts, and outputs with gradients and copies in other layouts.
    public long estimatedBytes() {
        return estimatedBytes(batchSize);
    }

    /// Like [#estimatedBytes()], for a device that computes `samples` samples of each batch.
    public long estimatedBytes(int samples) {
        return estimatedBytes(network, update(), samples);
    }

    /// Like [#estimatedBytes()], for a session that computes `samples` samples at a time.
    public static long estimatedBytes(Network network, UpdateSpec update, int samples) {
        return 4
                * ((5L + update.slots().size()) * network.parameterElements()
                        + 4L * samples * network.activationElements());
    }
}
