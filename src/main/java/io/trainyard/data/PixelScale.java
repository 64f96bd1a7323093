package io.trainyard.data;

import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import org.jspecify.annotations.Nullable;

/// What each byte of each channel becomes as a float: `byte / 255`, then, if asked for, `(x - mean) / std`, each
/// operation rounded to float32 as PyTorch does. A byte has 256 values, so this is a table.
public final class PixelScale {
    private final float[][] table; // (channels, 256)
    private final @Nullable Normalize normalize;

    private PixelScale(float[][] table, @Nullable Normalize normalize) {
        this.table = table;
        this.normalize = normalize;
    }

    /// @throws InvalidJobException if the means are not one a channel
    public static PixelScale of(int channels, @Nullable Normalize normalize) {
        if (normalize != null && normalize.mean().size() != channels) {
            throw new InvalidJobException(
                    "dataset.normalize has %d means and stds, but the images have %d channels; give one a channel"
                            .formatted(normalize.mean().size(), channels));
        }
        float[][] table = new float[channels][256];
        for (int c = 0; c < channels; c++) {
            for (int value = 0; value < 256; value++) {
                float scaled = value / 255f;
                table[c][value] = normalize == null
                        ? scaled
                        : (scaled - normalize.mean().get(c).floatValue())
                                / normalize.std().get(c).floatValue();
            }
        }
        return new PixelScale(table, normalize);
    }

    /// False where a byte only becomes `byte / 255`: mean 0 and std 1.
    public boolean normalizes() {
        return normalize != null;
    }

    public float mean(int channel) {
        return normalize == null ? 0 : normalize.mean().get(channel).floatValue();
    }

    public float std(int channel) {
        return normalize == null ? 1 : normalize.std().get(channel).floatValue();
    }

    /// The table of one channel: 256 floats, which the caller leaves as they are.
    public float[] channel(int channel) {
        return table[channel];
    }
}
