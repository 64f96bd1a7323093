package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.LayerSpec;

/// In training y = x * mask with [TorchRandom#dropoutMask], in evaluation y = x.
final class ReferenceDropout implements ReferenceLayer {
    private final double p;
    private float[] mask = {};

    ReferenceDropout(LayerSpec.Dropout spec) {
        this.p = spec.p();
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        if (p == 0) {
            return in; // draws nothing
        }
        mask = new float[in.length];
        random.dropoutMask(mask, p);
        return masked(in);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        return in;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        return p == 0 ? outGradient : masked(outGradient);
    }

    private float[] masked(float[] values) {
        float[] product = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            product[i] = values[i] * mask[i];
        }
        return product;
    }
}
