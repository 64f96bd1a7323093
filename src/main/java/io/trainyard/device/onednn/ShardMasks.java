package io.trainyard.device.onednn;

import io.trainyard.device.host.BatchMasks;

/// What one shard takes of a batch's masks.
final class ShardMasks {
    private final BatchMasks masks;
    private int first;

    ShardMasks(BatchMasks masks) {
        this.masks = masks;
    }

    /// @param sample of the batch, whose masks are the next program's first
    void begin(int sample) {
        first = sample;
    }

    /// Fills `mask` from a layer's, (samples, elements).
    void read(String layer, float[] mask) {
        masks.read(layer, first, mask);
    }
}
