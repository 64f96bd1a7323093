package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;
import io.trainyard.spec.NormSets;
import io.trainyard.spec.SampleNorm;
import java.util.Arrays;

/// y = (x - mean) / sqrt(variance + eps) * weight + bias, with the mean and biased variance of the sample's values
/// that are normalized together.
final class ReferenceSampleNorm implements ReferenceLayer {
    private final NormSets sets;
    private final Network.Layer layer;
    private final ReferenceState state;
    private final float eps;
    private final float[] weight; // (weights), like all below
    private final float[] bias;
    private float[] in = {}; // (samples, sets.sets() * sets.size())

    ReferenceSampleNorm(SampleNorm spec, Network.Layer layer, ReferenceState state) {
        sets = spec.sets(layer.in());
        eps = (float) spec.eps();
        this.layer = layer;
        this.state = state;
        weight = state.values(layer, "weight", sets.weights(), 1);
        bias = state.values(layer, "bias", sets.weights(), 0);
    }

    private int elements() {
        return sets.sets() * sets.size();
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        this.in = in;
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] out = new float[in.length];
        for (int n = 0; n < samples; n++) {
            for (int s = 0; s < sets.sets(); s++) {
                double[] normalised = normalised(in, n, s);
                for (int i = 0; i < sets.size(); i++) {
                    int place = sets.place(s, i);
                    int w = sets.weight(place);
                    out[n * elements() + place] = (float) (normalised[i] * weight[w] + bias[w]);
                }
            }
        }
        return out;
    }

    /// The normalized values of a set, without weight and bias.
    private double[] normalised(float[] in, int sample, int set) {
        double[] values = new double[sets.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = in[sample * elements() + sets.place(set, i)];
        }
        double mean = sum(values) / values.length;
        double inverse = inverseDeviation(values, mean);
        Arrays.setAll(values, i -> (values[i] - mean) * inverse);
        return values;
    }

    private double inverseDeviation(double[] values, double mean) {
        double[] squares = values.clone();
        Arrays.setAll(squares, i -> (values[i] - mean) * (values[i] - mean));
        return 1 / Math.sqrt(sum(squares) / values.length + eps);
    }

    private static double sum(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }

    /// With h = (x - mean) / deviation and g = dL/dy * weight: dL/dx = (g - average g - h * average g h) / deviation.
    @Override
    public float[] backward(float[] outGradient, int samples) {
        float[] inGradient = new float[in.length];
        double[] weightSums = new double[sets.weights()];
        double[] biasSums = new double[sets.weights()];
        for (int n = 0; n < samples; n++) {
            for (int s = 0; s < sets.sets(); s++) {
                double[] h = normalised(in, n, s);
                double[] g = new double[h.length];
                for (int i = 0; i < h.length; i++) {
                    int place = sets.place(s, i);
                    double gradient = outGradient[n * elements() + place];
                    int w = sets.weight(place);
                    weightSums[w] += gradient * h[i];
                    biasSums[w] += gradient;
                    g[i] = gradient * weight[w];
                }
                backward(n, s, g, h, inGradient);
            }
        }
        state.setGradient(layer, "weight", weightSums);
        state.setGradient(layer, "bias", biasSums);
        return inGradient;
    }

    private void backward(int sample, int set, double[] g, double[] h, float[] inGradient) {
        double[] values = new double[sets.size()];
        double[] products = new double[sets.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = in[sample * elements() + sets.place(set, i)];
            products[i] = g[i] * h[i];
        }
        double inverse = inverseDeviation(values, sum(values) / values.length);
        double average = sum(g) / g.length;
        double slope = sum(products) / g.length;
        for (int i = 0; i < g.length; i++) {
            int place = sample * elements() + sets.place(set, i);
            inGradient[place] = (float) (inverse * (g[i] - average - h[i] * slope));
        }
    }
}
