package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// y = x * mask with [TorchRandom#dropoutMask] in training, y = x in evaluation. One mask value may apply to
/// several adjacent inputs: `dropout2d` has one for each channel.
final class ReferenceDropout implements ReferenceLayer {
    private final @Nullable MaskSpec spec; // null without random draws
    private float[] mask = {};

    ReferenceDropout(Network.Layer layer) {
        this.spec = layer.mask().orElse(null);
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        if (spec == null) {
            return in;
        }
        mask = new float[samples * spec.elements()];
        random.dropoutMask(mask, spec.p());
        return masked(in);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        return in;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        return spec == null ? outGradient : masked(outGradient);
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
