package io.trainyard.data;

import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// Scales the values of a sample to floats: bytes to `byte / 255`, float32 unchanged; then, if requested, `(x -
/// mean) / std`, each operation rounded to float32 as in PyTorch. Bytes use a table of 256 values.
public final class PixelScale {
    private static final int BYTE_VALUES = 256;

    private final AtomicReferenceArray<float[]> table; // (channels, 256); rows are computed on demand
    private final @Nullable Normalize normalize;

    private PixelScale(int channels, @Nullable Normalize normalize) {
        this.table = new AtomicReferenceArray<>(normalize == null ? 1 : channels);
        this.normalize = normalize;
    }

    public static PixelScale of(int channels, @Nullable Normalize normalize) {
        if (normalize != null && normalize.mean().size() != channels) {
            throw new InvalidJobException(
                    "dataset.normalize has %d means and stds, but the images have %d channels; give one a channel"
                            .formatted(normalize.mean().size(), channels));
        }
        return new PixelScale(channels, normalize);
    }

    /// @param sample its shape; in tabular samples each column is a channel
    /// @throws InvalidJobException if the number of means differs from the number of channels
    public static PixelScale of(Shape sample, @Nullable Normalize normalize) {
        int channels = sample.size(0);
        if (sample.rank() == 1 && normalize != null && normalize.mean().size() != channels) {
            throw new InvalidJobException(
                    "dataset.normalize has %d means and stds, but a sample is a row of %d numbers; give one each"
                            .formatted(normalize.mean().size(), channels));
        }
        return of(channels, normalize);
    }

    /// False if the mean is 0 and the std is 1, apart from the scaling of bytes.
    public boolean normalizes() {
        return normalize != null;
    }

    public float mean(int channel) {
        return normalize == null ? 0 : normalize.mean().get(channel).floatValue();
    }

    public float std(int channel) {
        return normalize == null ? 1 : normalize.std().get(channel).floatValue();
    }

    public float of(float value, int channel) {
        return normalize == null ? value : (value - mean(channel)) / std(channel);
    }

    /// The table of one channel: 256 floats. Callers must not change it.
    public float[] channel(int channel) {
        int row = normalize == null ? 0 : channel;
        float[] made = table.get(row);
        if (made == null) {
            made = new float[BYTE_VALUES];
            for (int value = 0; value < BYTE_VALUES; value++) {
                made[value] = of(value / 255f, row);
            }
            table.set(row, made);
        }
        return made;
    }
}
