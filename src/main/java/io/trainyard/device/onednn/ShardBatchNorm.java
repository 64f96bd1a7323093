package io.trainyard.device.onednn;

import io.trainyard.spec.BatchMomentum;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// One shard's view of a layer's batch norm. After the barrier it has the whole batch's statistics and, in the
/// backward pass, its gradients. Shards without samples also take part in the barrier. The first shard of a device
/// updates the running statistics, which are equal on all devices; that of the first device has the parameters'
/// gradients for all.
final class ShardBatchNorm {
    private final int shard;
    private final BatchNormBarrier barrier;
    private final Network.Layer layer;
    private final @Nullable BatchNormSums sums; // of this device; null if statistics are kept
    private final float eps;
    private final BatchMomentum momentum;
    private final @Nullable ParameterMemory scale; // null without trained scale and shift, for 1 and 0
    private final @Nullable ParameterMemory shift;
    private final Memory runningMean;
    private final Memory runningVariance;
    private final MemorySegment batches; // one float: the number of batches

    private final double[] mean;
    private final double[] variance; // biased
    private final double[] gradientSums;
    private final double[] productSums;
    private double count; // number of values of a channel in the whole batch

    ShardBatchNorm(ModelState state, Network.Layer layer, int shard, BatchNormBarrier barrier) {
        this.shard = shard;
        this.barrier = barrier;
        this.layer = layer;
        this.sums = layer.keepsStatistics() ? null : barrier.own(layer);
        BatchNorm spec = (BatchNorm) layer.spec();
        eps = (float) spec.eps();
        momentum = spec.momentum();
        scale = spec.affine() ? state.placeVector(layer.parameters().get(0)) : null;
        shift = spec.affine() ? state.placeVector(layer.parameters().get(1)) : null;
        int running = spec.affine() ? 2 : 0;
        runningMean = state.placeVector(layer.parameters().get(running)).value();
        runningVariance = state.placeVector(layer.parameters().get(running + 1)).value();
        batches = state.placeVector(layer.parameters().get(running + 2)).value().data();
        int channels = layer.in().size(0);
        mean = new double[channels];
        variance = new double[channels];
        gradientSums = new double[channels];
        productSums = new double[channels];
    }

    int channels() {
        return mean.length;
    }

    boolean keepsStatistics() {
        return sums == null;
    }

    private BatchNormSums sums() {
        return Objects.requireNonNull(sums);
    }

    /// The shard's means, to be written before [#awaitForward].
    double[] ownMeans() {
        return sums().means(shard);
    }

    /// The sums of squared differences from the means.
    double[] ownDeviations() {
        return sums().deviations(shard);
    }

    /// The sums of the output gradients, to be written before [#awaitBackward].
    double[] ownGradients() {
        return sums().gradients(shard);
    }

    /// The sums of the output gradients times (input - [#center]).
    double[] ownProducts() {
        return sums().products(shard);
    }

    void awaitForward(long values) {
        setCount(values);
        barrier.await(shard);
        combineForward();
    }

    /// Called before the barrier.
    ///
    /// @param values 0 without samples
    void setCount(long values) {
        sums().setCount(shard, values);
    }

    /// Combines the statistics of all shards after the barrier of the forward pass.
    void combineForward() {
        List<BatchNormSums> all = barrier.all(layer);
        BatchNormSums.combine(all, mean, variance);
        count = BatchNormSums.count(all);
        if (shard == 0) {
            float before = batches.get(ValueLayout.JAVA_FLOAT, 0);
            double weight = momentum.weight(before);
            follow(runningMean, mean, 1, weight);
            follow(runningVariance, variance, count / (count - 1), weight);
            batches.set(ValueLayout.JAVA_FLOAT, 0, before + 1);
        }
    }

    /// PyTorch keeps the unbiased variance: `correction` is its ratio to the biased one.
    ///
    /// @param weight of the batch
    private static void follow(Memory running, double[] batch, double correction, double weight) {
        for (int c = 0; c < batch.length; c++) {
            double old = running.data().getAtIndex(ValueLayout.JAVA_FLOAT, c);
            double now = batch[c] * correction;
            running.data().setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) ((1 - weight) * old + weight * now));
        }
    }

    void awaitBackward() {
        barrier.await(shard);
        combineBackward();
    }

    void combineBackward() {
        BatchNormSums.addUp(barrier.all(layer), gradientSums, productSums);
        if (shard == 0) {
            write(shift, c -> gradientSums[c]);
            write(scale, this::scaleGradient);
        }
    }

    private void write(@Nullable ParameterMemory parameter, IntToDoubleFunction ofChannel) {
        Memory gradient = parameter == null ? null : parameter.gradient();
        if (gradient != null) {
            boolean first = barrier.isFirst(); // the others contribute zeros to its gradients
            for (int c = 0; c < mean.length; c++) {
                float value = first ? (float) ofChannel.applyAsDouble(c) : 0;
                gradient.data().setAtIndex(ValueLayout.JAVA_FLOAT, c, value);
            }
        }
    }

    void useRunning() {
        for (int c = 0; c < mean.length; c++) {
            mean[c] = runningMean.data().getAtIndex(ValueLayout.JAVA_FLOAT, c);
            variance[c] = runningVariance.data().getAtIndex(ValueLayout.JAVA_FLOAT, c);
        }
    }

    /// The mean as float32.
    double center(int channel) {
        return (float) mean[channel];
    }

    /// The coefficient of (input - [#center]) in the output.
    double factor(int channel) {
        return value(scale, channel, 1) * inverse(channel);
    }

    /// The constant term of the output, including the rounding error of the center.
    double shift(int channel) {
        return value(shift, channel, 0) + (center(channel) - mean[channel]) * factor(channel);
    }

    private static float value(@Nullable ParameterMemory parameter, int channel, float without) {
        return parameter == null ? without : parameter.value().data().getAtIndex(ValueLayout.JAVA_FLOAT, channel);
    }

    private double inverse(int channel) {
        return 1 / Math.sqrt(variance[channel] + eps);
    }

    /// The sum of the gradients times the normalized inputs.
    private double scaleGradient(int c) {
        return inverse(c) * (productSums[c] + (center(c) - mean[c]) * gradientSums[c]);
    }

    /// The coefficient of (input - [#center]) in the input's gradient. With h = (x - mean) / deviation and g =
    /// dL/dy, dL/dx = factor (g - average g - h average(g h)).
    double gradientOfInput(int c) {
        return -factor(c) * inverse(c) * scaleGradient(c) / count;
    }

    /// The constant term of the input's gradient.
    double gradientConstant(int c) {
        double rounding = (center(c) - mean[c]) * inverse(c);
        return -factor(c) * (gradientSums[c] + rounding * scaleGradient(c)) / count;
    }
}
