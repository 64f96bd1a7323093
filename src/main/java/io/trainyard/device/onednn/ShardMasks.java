package io.trainyard.device.onednn;

import io.trainyard.device.host.BatchMasks;

/// One shard's rows of a batch's masks.
final class ShardMasks {
    private final BatchMasks masks;
    private int first;

    ShardMasks(BatchMasks masks) {
        this.masks = masks;
    }

    /// @param sample index in the batch of the next program's first sample
    void begin(int sample) {
        first = sample;
    }

    /// Fills `mask` with a layer's mask, (samples, elements).
    void read(String layer, float[] mask) {
        masks.read(layer, first, mask);
    }
}
