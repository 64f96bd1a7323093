package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;

/// In training y = x * mask with [TorchRandom#dropoutMask], in evaluation y = x. A mask's value may stand for
/// several neighbours: `dropout2d` has one for all of a channel.
final class ReferenceDropout implements ReferenceLayer {
    private final double p;
    private final int maskElements; // of a sample
    private float[] mask = {};

    ReferenceDropout(double p, Network.Layer layer) {
        this.p = p;
        this.maskElements = layer.spec().maskElements(layer.in());
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        if (p == 0) {
            return in; // draws nothing
        }
        mask = new float[samples * maskElements];
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
        int neighbours = values.length / mask.length;
        float[] product = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            product[i] = values[i] * mask[i / neighbours];
        }
        return product;
    }
}
