package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;

/// y = x * gamma, channel by channel.
final class ReferenceLayerScale implements ReferenceLayer {
    private final Network.Layer layer;
    private final ReferenceState state;
    private final int area; // values of a sample's channel
    private final float[] gamma; // (channels)
    private float[] in = {}; // (samples, channels, area)

    ReferenceLayerScale(Network.Layer layer, ReferenceState state) {
        area = layer.in().elements() / layer.in().size(0);
        this.layer = layer;
        this.state = state;
        gamma = state.values(layer, "gamma");
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        this.in = in;
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] scaled = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            scaled[i] = in[i] * gamma[channel(i)];
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
        state.setGradient(layer, "gamma", sums);
        return evaluate(outGradient, samples);
    }
}
