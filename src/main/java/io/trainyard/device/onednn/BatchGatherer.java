package io.trainyard.device.onednn;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Turns samples of a data set into a program's input and labels.
final class BatchGatherer {
    private final PixelScale scale;
    private final int channels;
    private final int area;
    private final float[] row; // (channels, rows, columns)
    private final int[] labels;

    BatchGatherer(Dataset dataset, PixelScale scale, int maxBatchSize) {
        this.scale = scale;
        this.channels = dataset.shape().size(0);
        this.area = dataset.shape().elements() / channels;
        this.row = new float[channels * area];
        this.labels = new int[maxBatchSize];
    }

    /// Fills the program's input with the samples `order[from]` and following.
    ///
    /// @return their labels; valid until the next call
    int[] gather(Dataset.Split split, int[] order, int from, Program program) {
        for (int n = 0; n < program.batchSize(); n++) {
            int sample = order[from + n];
            labels[n] = Byte.toUnsignedInt(split.labels()[sample]);
            for (int c = 0; c < channels; c++) {
                scale(split.pixels(), (sample * channels + c) * area, scale.channel(c), c * area);
            }
            MemorySegment.copy(
                    row,
                    0,
                    program.input().data(),
                    ValueLayout.JAVA_FLOAT,
                    (long) n * row.length * Float.BYTES,
                    row.length);
        }
        return labels;
    }

    private void scale(byte[] pixels, int pixel, float[] table, int target) {
        for (int i = 0; i < area; i++) {
            row[target + i] = table[Byte.toUnsignedInt(pixels[pixel + i])];
        }
    }
}
