package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.Join;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.Upsample;

/// The two passes of one layer. Values are (samples, ...sample's shape), row-major.
interface ReferenceLayer {
    /// Runs the layer in training mode, and stores the values that the backward pass needs; by default none.
    ///
    /// @param in (samples, in), not changed
    /// @return (samples, out)
    default float[] train(float[] in, int samples, TorchRandom random) {
        return evaluate(in, samples);
    }

    /// Runs the layer in evaluation mode, and stores nothing.
    float[] evaluate(float[] in, int samples);

    /// The chain rule for the batch of the last [#train]: computes the parameters' gradients.
    ///
    /// @param outGradient the loss's derivative by the layer's output, (samples, out), not changed
    /// @return the loss's derivative by the layer's input, (samples, in)
    float[] backward(float[] outGradient, int samples);

    static ReferenceLayer of(Network.Layer layer, ReferenceState state) {
        return switch (layer.spec()) {
            case Conv2d conv -> new ReferenceConv2d(conv, layer, state);
            case Pooling.MaxPool2d pool -> new ReferenceMaxPool2d(pool, layer);
            case Pooling.AvgPool2d pool -> new ReferenceAvgPool2d(pool, layer);
            case Pooling.AdaptiveAvgPool2d pool -> new ReferenceAvgPool2d(pool, layer);
            case Upsample upsample -> new ReferenceUpsample(upsample, layer);
            case BatchNorm norm -> new ReferenceBatchNorm(norm, layer, state);
            case SampleNorm norm -> new ReferenceSampleNorm(norm, layer, state);
            case LayerSpec.LayerScale _ -> new ReferenceLayerScale(layer, state);
            case ActivationFunction activation -> ReferenceActivationFunction.of(activation);
            case DropoutLayer _ -> new ReferenceDropout(layer);
            case LayerSpec.Flatten _, LayerSpec.Identity _ -> new ReferencePassThrough();
            case LayerSpec.Linear linear -> new ReferenceLinear(linear, layer, state);
            case Join join -> new ReferenceJoin(join, layer, state);
        };
    }

    static float[] rounded(double[] sums) {
        float[] values = new float[sums.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) sums[i];
        }
        return values;
    }
}
