package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;
import java.util.List;

/// A sequence of layers; an empty one is the identity.
record ReferenceChain(List<ReferenceLayer> layers) implements ReferenceLayer {
    static ReferenceChain of(List<Network.Layer> layers, ReferenceState state) {
        return new ReferenceChain(
                layers.stream().map(layer -> ReferenceLayer.of(layer, state)).toList());
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        float[] values = in;
        for (ReferenceLayer layer : layers) {
            values = layer.train(values, samples, random);
        }
        return values;
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] values = in;
        for (ReferenceLayer layer : layers) {
            values = layer.evaluate(values, samples);
        }
        return values;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        float[] gradient = outGradient;
        for (ReferenceLayer layer : layers.reversed()) {
            gradient = layer.backward(gradient, samples);
        }
        return gradient;
    }
}
