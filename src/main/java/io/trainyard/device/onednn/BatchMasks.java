package io.trainyard.device.onednn;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// The dropout masks of a batch, drawn before its shards begin: one layer's after the other, each for the whole batch,
/// which is PyTorch's order of random numbers.
final class BatchMasks {
    private final Map<String, Mask> masks = new LinkedHashMap<>(); // by the layers' names

    /// @param elements of a sample
    /// @param values (samples, elements)
    private record Mask(double p, int elements, float[] values) {}

    /// @param batchSize the largest
    BatchMasks(Network network, int batchSize) {
        for (Network.Layer layer : network.allLayers()) {
            if (layer.spec() instanceof LayerSpec.Dropout dropout) {
                put(layer, dropout.p(), batchSize);
            } else if (layer.spec() instanceof LayerSpec.Dropout2d dropout) {
                put(layer, dropout.p(), batchSize);
            }
        }
    }

    private void put(Network.Layer layer, double p, int batchSize) {
        int elements = layer.spec().maskElements(layer.in());
        masks.put(layer.name(), new Mask(p, elements, new float[Math.multiplyExact(batchSize, elements)]));
    }

    void draw(TorchRandom random, int samples) {
        for (Mask mask : masks.values()) {
            int drawn = samples * mask.elements();
            float[] values = drawn == mask.values().length ? mask.values() : new float[drawn];
            random.dropoutMask(values, mask.p());
            System.arraycopy(values, 0, mask.values(), 0, drawn);
        }
    }

    /// What one shard takes of them.
    final class Part {
        private int first;

        /// @param sample of the batch, whose masks are the next program's first
        void begin(int sample) {
            first = sample;
        }

        /// Fills `mask` from a layer's, (samples, elements).
        void read(String layer, float[] mask) {
            Mask drawn = Objects.requireNonNull(masks.get(layer));
            System.arraycopy(drawn.values(), first * drawn.elements(), mask, 0, mask.length);
        }
    }
}
