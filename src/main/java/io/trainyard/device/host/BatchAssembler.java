package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import java.lang.foreign.MemorySegment;

/// Turns samples of a data set into what a network takes: float32, scaled and normalised.
public final class BatchAssembler {
    private final PixelLanes lanes;
    private final int channels;
    private final int area;

    public BatchAssembler(Dataset dataset, PixelScale scale) {
        this.lanes = new PixelLanes(scale);
        this.channels = dataset.shape().size(0);
        this.area = dataset.shape().elements() / channels;
    }

    /// Writes the samples `order[from]` and following.
    ///
    /// @param samples how many
    /// @param target (samples, channels, rows, columns), row-major
    public void assemble(Dataset.Split split, int[] order, int from, int samples, MemorySegment target) {
        long to = 0;
        for (int n = 0; n < samples; n++) {
            int image = order[from + n] * channels * area;
            for (int c = 0; c < channels; c++, to += (long) area * Float.BYTES) {
                lanes.write(split.pixels(), image + c * area, area, c, target, to);
            }
        }
    }
}
