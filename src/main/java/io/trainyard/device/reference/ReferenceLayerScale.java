package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;

/// y = x * gamma, channel by channel.
final class ReferenceLayerScale implements ReferenceLayer {
    private final int area; // values of a sample's channel
    private final float[] gamma; // (channels)
    private final float[] gammaGradient;
    private float[] in = {}; // (samples, channels, area)

    ReferenceLayerScale(Network.Layer layer, ReferenceState state) {
        area = layer.in().elements() / layer.in().size(0);
        var spec = ReferenceLayer.parameter(layer, "gamma");
        gamma = state.values(spec);
        gammaGradient = state.gradient(spec);
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        this.in = in;
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        return scaled(in);
    }

    private float[] scaled(float[] values) {
        float[] scaled = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            scaled[i] = values[i] * gamma[channel(i)];
        }
        return scaled;
    }

    private int channel(int i) {
        return i / area % gamma.length;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        double[] sums = new double[gamma.length];
        for (int i = 0; i < in.length; i++) {
            sums[channel(i)] += (double) outGradient[i] * in[i];
        }
        for (int c = 0; c < sums.length; c++) {
            gammaGradient[c] = (float) sums[c];
        }
        return scaled(outGradient);
    }
}
