package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;

/// y = layers(x) + shortcut(x): both receive y's gradient, and x the sum of their input gradients.
///
/// The layers draw their masks before the shortcut.
final class ReferenceResidual implements ReferenceLayer {
    private final ReferenceChain layers;
    private final ReferenceChain shortcut;

    ReferenceResidual(Network.Layer layer, ReferenceState state) {
        layers = ReferenceChain.of(layer.branches().get(0), state);
        shortcut = ReferenceChain.of(layer.branches().get(1), state);
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        float[] first = layers.train(in, samples, random);
        return sum(first, shortcut.train(in, samples, random));
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        return sum(layers.evaluate(in, samples), shortcut.evaluate(in, samples));
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        return sum(layers.backward(outGradient, samples), shortcut.backward(outGradient, samples));
    }

    private static float[] sum(float[] a, float[] b) {
        float[] sum = new float[a.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = a[i] + b[i];
        }
        return sum;
    }
}
