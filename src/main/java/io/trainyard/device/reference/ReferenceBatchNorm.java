package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.BatchMomentum;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Network;

/// y = (x - mean) / sqrt(variance + eps) * weight + bias, channel by channel. In training mean and variance are
/// those of the batch, over samples, rows and columns; in evaluation the running statistics.
///
/// As in PyTorch, the batch is normalized by its biased variance, and the running variance uses the unbiased one.
final class ReferenceBatchNorm implements ReferenceLayer {
    private final Network.Layer layer;
    private final ReferenceState state;
    private final float eps;
    private final BatchMomentum momentum;
    private final int channels;
    private final int area; // rows * columns; 1 for vectors
    private final float[] weight; // (channels), like all below
    private final float[] bias;
    private final float[] runningMean;
    private final float[] runningVariance;
    private final float[] batches; // (1): the number of batches in them
    private float[] in = {}; // (samples, channels, area)
    private final double[] mean;
    private final double[] inverseDeviation;

    ReferenceBatchNorm(BatchNorm spec, Network.Layer layer, ReferenceState state) {
        eps = (float) spec.eps();
        momentum = spec.momentum();
        channels = layer.in().size(0);
        area = layer.in().elements() / channels;
        this.layer = layer;
        this.state = state;
        weight = state.values(layer, "weight", channels, 1);
        bias = state.values(layer, "bias", channels, 0);
        runningMean = state.values(layer, "running_mean");
        runningVariance = state.values(layer, "running_var");
        batches = state.values(layer, "num_batches_tracked");
        mean = new double[channels];
        inverseDeviation = new double[channels];
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        if (layer.keepsStatistics()) {
            return evaluate(in, samples);
        }
        this.in = in;
        int count = samples * area;
        for (int c = 0; c < channels; c++) {
            double sum = 0;
            for (int n = 0; n < samples; n++) {
                for (int i = first(n, c); i < first(n, c) + area; i++) {
                    sum += in[i];
                }
            }
            mean[c] = sum / count;
            double squares = 0;
            for (int n = 0; n < samples; n++) {
                for (int i = first(n, c); i < first(n, c) + area; i++) {
                    squares += (in[i] - mean[c]) * (in[i] - mean[c]);
                }
            }
            inverseDeviation[c] = 1 / Math.sqrt(squares / count + eps);
            runningMean[c] = follow(runningMean[c], mean[c]);
            runningVariance[c] = follow(runningVariance[c], squares / (count - 1));
        }
        batches[0]++;
        return normalise(in, samples, mean, inverseDeviation);
    }

    private float follow(float running, double newest) {
        double weight = momentum.weight(batches[0]);
        return (float) ((1 - weight) * running + weight * newest);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        double[] means = new double[channels];
        double[] inverses = new double[channels];
        for (int c = 0; c < channels; c++) {
            means[c] = runningMean[c];
            inverses[c] = 1 / Math.sqrt((double) runningVariance[c] + eps);
        }
        return normalise(in, samples, means, inverses);
    }

    private float[] normalise(float[] in, int samples, double[] means, double[] inverses) {
        float[] out = new float[in.length];
        for (int n = 0; n < samples; n++) {
            for (int c = 0; c < channels; c++) {
                for (int i = first(n, c); i < first(n, c) + area; i++) {
                    out[i] = (float) ((in[i] - means[c]) * inverses[c] * weight[c] + bias[c]);
                }
            }
        }
        return out;
    }

    /// With h = (x - mean) / deviation and g = dL/dy: dL/dbias = sum g, dL/dweight = sum g h, and
    /// dL/dx = weight / deviation * (g - average g - h * average g h), because mean and deviation depend on x too.
    @Override
    public float[] backward(float[] outGradient, int samples) {
        float[] inGradient = new float[outGradient.length];
        if (layer.keepsStatistics()) {
            for (int i = 0; i < inGradient.length; i++) {
                int c = i / area % channels;
                inGradient[i] = (float) (outGradient[i] * weight[c] / Math.sqrt((double) runningVariance[c] + eps));
            }
            return inGradient;
        }
        double[] biasSums = new double[channels];
        double[] weightSums = new double[channels];
        int count = samples * area;
        for (int c = 0; c < channels; c++) {
            for (int n = 0; n < samples; n++) {
                for (int i = first(n, c); i < first(n, c) + area; i++) {
                    biasSums[c] += outGradient[i];
                    weightSums[c] += outGradient[i] * (in[i] - mean[c]) * inverseDeviation[c];
                }
            }
            for (int n = 0; n < samples; n++) {
                for (int i = first(n, c); i < first(n, c) + area; i++) {
                    double normalised = (in[i] - mean[c]) * inverseDeviation[c];
                    double centred = outGradient[i] - biasSums[c] / count - normalised * weightSums[c] / count;
                    inGradient[i] = (float) (weight[c] * inverseDeviation[c] * centred);
                }
            }
        }
        state.setGradient(layer, "weight", weightSums);
        state.setGradient(layer, "bias", biasSums);
        return inGradient;
    }

    private int first(int sample, int channel) {
        return (sample * channels + channel) * area;
    }
}
