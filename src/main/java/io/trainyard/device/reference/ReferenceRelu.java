package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;

/// y = max(0, x); the derivative at 0 is 0, as in PyTorch.
final class ReferenceRelu implements ReferenceLayer {
    private float[] in = {};

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        this.in = in;
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] out = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            out[i] = Math.max(0, in[i]);
        }
        return out;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        float[] inGradient = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            inGradient[i] = in[i] > 0 ? outGradient[i] : 0;
        }
        return inGradient;
    }
}
