package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.device.Augmentation.Change;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Converts samples of a dataset to network input: float32, augmented, scaled and normalized. Not thread-safe: each
/// thread needs its own instance.
///
/// A sample is first copied from the dataset into an array, so that one fast loop works for all kinds of memory;
/// the copy is comparatively cheap.
public final class BatchAssembler {
    private final PixelScale scale;
    private final PixelLanes lanes;
    private final PixelMover mover;
    private final int channels;
    private final int area; // values of a channel
    private final int columns;
    private final byte[] pixels; // (channels, rows, columns), as in the dataset
    private final float[] values; // likewise, for a float dataset
    private final float[] sample; // (channels, rows, columns)

    public BatchAssembler(Dataset dataset, PixelScale scale) {
        boolean bytes = dataset.train().samples() instanceof Samples.Pixels;
        int elements = dataset.shape().elements();
        this.scale = scale;
        this.lanes = new PixelLanes(scale);
        this.channels = dataset.shape().size(0);
        this.area = elements / channels;
        this.columns = dataset.shape().rank() == 1 ? 1 : dataset.shape().size(2);
        this.mover = new PixelMover(area / columns, columns);
        this.pixels = new byte[bytes ? elements : 0];
        this.values = new float[bytes ? 0 : elements];
        this.sample = new float[elements];
    }

    /// Writes the samples from `order[from]` on.
    ///
    /// @param samples how many
    /// @param changes augmentation of each; empty for none
    /// @param target (samples, channels, rows, columns), row-major
    public void assemble(
            Dataset.Split split, int[] order, int from, int samples, List<Change> changes, MemorySegment target) {
        long bytes = (long) sample.length * Float.BYTES;
        for (int n = 0; n < samples; n++) {
            assemble(split, order[from + n], changes.isEmpty() ? null : changes.get(n), sample, 0);
            MemorySegment.copy(sample, 0, target, ValueLayout.JAVA_FLOAT, n * bytes, sample.length);
        }
    }

    /// Writes one sample.
    ///
    /// @param index in the split
    /// @param change augmentation; null for none
    /// @param target (channels, rows, columns), row-major, from `at` on
    public void assemble(Dataset.Split split, int index, @Nullable Change change, float[] target, int at) {
        long first = (long) index * sample.length;
        switch (split.samples()) {
            case Samples.Pixels bytes -> {
                MemorySegment.copy(bytes.memory(), ValueLayout.JAVA_BYTE, first, pixels, 0, pixels.length);
                writePixels(change, target, at);
            }
            case Samples.Values floats -> {
                float[] copy = change == null ? target : values;
                int to = change == null ? at : 0;
                MemorySegment.copy(
                        floats.memory(), Samples.Values.LAYOUT, first * Float.BYTES, copy, to, sample.length);
                writeValues(change, target, at);
            }
        }
        if (change != null) {
            cut(change, target, at);
        }
    }

    private void writePixels(@Nullable Change change, float[] target, int at) {
        if (change == null && !scale.normalizes()) { // all channels are equal
            lanes.write(pixels, 0, pixels.length, 0, target, at);
            return;
        }
        for (int c = 0; c < channels; c++) {
            int from = c * area;
            if (change == null) {
                lanes.write(pixels, from, area, c, target, at + from);
            } else {
                lanes.write(mover.move(pixels, from, change), 0, area, c, target, at + from);
            }
        }
    }

    /// Without augmentation the values are already in place.
    private void writeValues(@Nullable Change change, float[] target, int at) {
        for (int c = 0; c < channels; c++) {
            int from = c * area;
            if (change != null) {
                mover.move(values, from, change, target, at + from);
            }
            if (scale.normalizes()) {
                normalize(target, at + from, scale.mean(c), scale.std(c));
            }
        }
    }

    private void normalize(float[] target, int at, float mean, float std) {
        for (int i = at; i < at + area; i++) {
            target[i] = (target[i] - mean) / std;
        }
    }

    private void cut(Change change, float[] target, int at) {
        for (int channel = at; channel < at + sample.length; channel += area) {
            for (int row = change.cutTop(); row < change.cutBottom(); row++) {
                int first = channel + row * columns;
                Arrays.fill(target, first + change.cutLeft(), first + change.cutRight(), 0);
            }
        }
    }
}
