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

/// What a session is compiled for.
///
/// @param loop what becomes of gradients before the optimizer takes them, and of what it makes
/// @param batchSize samples a step; at most as many as the training part has
/// @param augment what varies the training samples
/// @param precision what to compute in; part of what makes a run repeatable. [#requirePrecision] is for devices that
///     have not all
/// @param threads CPU threads to compute with; 0 lets the device choose for the network, by a rule on shapes. The
///     number is part of what makes a run repeatable: [LearningSession#threads] says what was chosen
/// @param trains false for a session that is only asked to test and predict
/// @param choices what sessions before it chose by measuring: it keeps to that. [LearningSession#choices] says what it
/// has
/// @param sharers how many sessions are to share this machine's processors: a device that chooses the number of threads
///     has that part of them
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
    /// Without anything chosen before.
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

    /// For training and tests, with PyTorch's cross-entropy as it is by default and the simplest loop.
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
            throw new InvalidJobException("batchSize is %d, but data set %s has %d training samples; allowed is 1 to %d"
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
                    "dataset.augment varies images, but a sample of data set %s is a row of %s numbers; leave augment out"
                            .formatted(dataset.name(), dataset.shape()));
        }
    }

    /// One value has no variance to normalise by; PyTorch refuses it too.
    private static void requireVariance(Network.Layer layer, Dataset dataset) {
        boolean oneValue = layer.in().elements() == layer.in().size(0);
        if (oneValue) {
            throw new InvalidJobException(
                    "layer \"%s\" (%s) is given %s, which in a batch of one sample is one value a channel: nothing to normalise by; choose a batchSize above 1 that does not leave 1 of the %d training samples for the last batch, or dropLast, or give the layer larger images"
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

    /// The same, as one of so many sessions that are there at once.
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

    /// For tests and predictions alone: what only training needs need not be made.
    public Workload forTests() {
        return new Workload(
                network, loss, optimizer, loop, batchSize, dataset, scale, augment, precision, threads, false, choices,
                sharers);
    }

    /// What a sum of samples' losses is divided by to be their mean.
    public SampleWeights sampleWeights() {
        return SampleWeights.of(loss, network.classes());
    }

    /// @param device the device's name, for the message
    /// @param allowed what it can compute in
    /// @param ofKind what devices of its kind can compute in at most
    /// @throws DevicePrecisionException if that is not what is asked for, but another device of the kind may do it
    /// @throws DeviceException if none of the kind does
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
        throw new DeviceException(refusal + "; leave precision out, or ask for a device that has it, such as cuda");
    }

    /// The mean of a batch's losses. PyTorch adds them up in float32: where that overflows the mean is infinite, and so
    /// it is here. Samples of which none counts have no mean, though smoothing gives them a loss.
    ///
    /// @param sum of the losses
    /// @param weight [SampleWeights#sum] of their samples
    public static float meanLoss(double sum, double weight) {
        if (weight == 0) {
            return Float.NaN;
        }
        return Float.isInfinite((float) sum) ? (float) sum : (float) (sum / weight);
    }

    /// How parameters follow gradients.
    public UpdateSpec update() {
        return new UpdateSpec(optimizer, loop);
    }

    /// Steps in an epoch, one a batch; the last one may be of a shorter batch.
    public int stepsPerEpoch() {
        int samples = dataset.train().size();
        return loop.dropLast() ? samples / batchSize : Math.ceilDiv(samples, batchSize);
    }

    public int updatesPerEpoch() {
        return Math.ceilDiv(stepsPerEpoch(), loop.accumulateSteps());
    }

    /// Whether the optimizer takes its step with that of the epoch: with the last batch of a group, and with
    /// the last of the epoch, whose group may have fewer.
    public boolean updatesAt(int step) {
        return (step + 1) % loop.accumulateSteps() == 0 || step + 1 == stepsPerEpoch();
    }

    /// What each of the optimizer's steps has, for each step of the epoch; nothing for nothing.
    public double[] perStep(double[] perUpdate) {
        double[] values = new double[perUpdate.length == 0 ? 0 : stepsPerEpoch()];
        Arrays.setAll(values, step -> perUpdate[step / loop.accumulateSteps()]);
        return values;
    }

    /// Where a step's samples begin in the epoch's order.
    ///
    /// @param step of the epoch
    public int firstSample(int step) {
        return step * batchSize;
    }

    /// Samples of a step's batch.
    ///
    /// @param step of the epoch
    public int samples(int step) {
        return Math.min(batchSize, dataset.train().size() - firstSample(step));
    }

    public int lastBatchSize() {
        return samples(stepsPerEpoch() - 1);
    }

    /// Draws what becomes of the training samples.
    public Augmentation augmentation() {
        return new Augmentation(augment, dataset.shape());
    }

    /// Words that the first `steps` steps of an epoch take from the generator, for augmentation and dropout masks:
    /// what a session skips to go on in the middle of an epoch.
    public long drawnWords(int steps) {
        long samples = Math.min((long) steps * batchSize, dataset.train().size());
        long maskWords = network.maskElements() * TorchRandom.WORDS_PER_MASK_ELEMENT;
        return samples * (augmentation().wordsPerSample() + maskWords);
    }

    /// A generous estimate of what a session needs besides the data set: parameters with gradients, copies in other
    /// layouts and what the optimizer keeps of them, outputs with gradients and copies in other layouts.
    public long estimatedBytes() {
        return estimatedBytes(batchSize);
    }

    /// As [#estimatedBytes()], for a device that computes so many samples of each batch.
    public long estimatedBytes(int samples) {
        return estimatedBytes(network, update(), samples);
    }

    /// As [#estimatedBytes()], of a session that computes so many samples at a time.
    public static long estimatedBytes(Network network, UpdateSpec update, int samples) {
        return 4
                * ((5L + update.slots().size()) * network.parameterElements()
                        + 4L * samples * network.activationElements());
    }
}
