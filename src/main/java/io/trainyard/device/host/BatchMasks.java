package io.trainyard.device.host;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// The masks of a batch, drawn before its shards start: layer by layer for the whole batch, which is PyTorch's
/// order of random numbers.
public final class BatchMasks {
    private final Map<String, Mask> masks = new LinkedHashMap<>(); // by layer name

    /// @param values (samples, elements)
    private record Mask(MaskSpec spec, float[] values) {}

    public BatchMasks(Network network, int batchSize) {
        network.masks()
                .forEach((layer, spec) ->
                        masks.put(layer, new Mask(spec, new float[Math.multiplyExact(batchSize, spec.elements())])));
    }

    public void draw(TorchRandom random, int samples) {
        for (Mask mask : masks.values()) {
            int drawn = samples * mask.spec().elements();
            float[] values = drawn == mask.values().length ? mask.values() : new float[drawn];
            random.dropoutMask(values, mask.spec().p());
            System.arraycopy(values, 0, mask.values(), 0, drawn);
        }
    }

    /// A layer's array, (samples, elements), overwritten by each [#draw].
    public float[] of(String layer) {
        return Objects.requireNonNull(masks.get(layer)).values();
    }

    /// Fills `target` from a layer's mask, starting at a sample of the batch.
    public void read(String layer, int sample, float[] target) {
        Mask mask = Objects.requireNonNull(masks.get(layer));
        System.arraycopy(mask.values(), sample * mask.spec().elements(), target, 0, target.length);
    }
}
