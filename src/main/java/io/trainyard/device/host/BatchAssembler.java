package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Turns samples of a data set into what a network takes: float32, scaled and normalised.
public final class BatchAssembler {
    private final PixelScale scale;
    private final int channels;
    private final int area;
    private final float[] row; // (channels, rows, columns)

    public BatchAssembler(Dataset dataset, PixelScale scale) {
        this.scale = scale;
        this.channels = dataset.shape().size(0);
        this.area = dataset.shape().elements() / channels;
        this.row = new float[channels * area];
    }

    /// Writes the samples `order[from]` and following.
    ///
    /// @param samples how many
    /// @param target (samples, channels, rows, columns), row-major
    public void assemble(Dataset.Split split, int[] order, int from, int samples, MemorySegment target) {
        for (int n = 0; n < samples; n++) {
            int sample = order[from + n];
            for (int c = 0; c < channels; c++) {
                scale(split.pixels(), (sample * channels + c) * area, scale.channel(c), c * area);
            }
            MemorySegment.copy(row, 0, target, ValueLayout.JAVA_FLOAT, (long) n * row.length * Float.BYTES, row.length);
        }
    }

    private void scale(byte[] pixels, int pixel, float[] table, int target) {
        for (int i = 0; i < area; i++) {
            row[target + i] = table[Byte.toUnsignedInt(pixels[pixel + i])];
        }
    }
}
