package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Augmentation.Change;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/// Turns samples of a data set into what a network takes: float32, augmented, scaled and normalised. Each thread that
/// assembles needs one of its own.
public final class BatchAssembler {
    private final PixelLanes lanes;
    private final int channels;
    private final int rows;
    private final int columns;
    private final byte[] moved; // (rows, columns): one channel after crop and flip

    public BatchAssembler(Dataset dataset, PixelScale scale) {
        this.lanes = new PixelLanes(scale);
        this.channels = dataset.shape().size(0);
        this.rows = dataset.shape().size(1);
        this.columns = dataset.shape().size(2);
        this.moved = new byte[rows * columns];
    }

    /// Writes the samples `order[from]` and following.
    ///
    /// @param samples how many
    /// @param changes what becomes of each of them; empty to leave all as they are
    /// @param target (samples, channels, rows, columns), row-major
    public void assemble(
            Dataset.Split split, int[] order, int from, int samples, List<Change> changes, MemorySegment target) {
        long channelBytes = (long) moved.length * Float.BYTES;
        long to = 0;
        for (int n = 0; n < samples; n++) {
            int channel = order[from + n] * channels * moved.length;
            for (int c = 0; c < channels; c++, channel += moved.length, to += channelBytes) {
                if (changes.isEmpty()) {
                    lanes.write(split.pixels(), channel, moved.length, c, target, to);
                } else {
                    Change change = changes.get(n);
                    move(split.pixels(), channel, change);
                    lanes.write(moved, 0, moved.length, c, target, to);
                    cut(change, target, to);
                }
            }
        }
    }

    /// Crops and flips one channel.
    private void move(byte[] pixels, int channel, Change change) {
        int firstColumn = Math.clamp(-change.right(), 0, columns); // in the cropped image, as the next
        int endColumn = Math.clamp(columns - change.right(), firstColumn, columns);
        for (int row = 0; row < rows; row++) {
            int source = row + change.down();
            int to = row * columns;
            if (source < 0 || source >= rows || firstColumn == endColumn) {
                Arrays.fill(moved, to, to + columns, (byte) 0);
                continue;
            }
            Arrays.fill(moved, to, to + firstColumn, (byte) 0);
            int pixel = channel + source * columns + firstColumn + change.right();
            System.arraycopy(pixels, pixel, moved, to + firstColumn, endColumn - firstColumn);
            Arrays.fill(moved, to + endColumn, to + columns, (byte) 0);
            if (change.flipped()) {
                reverse(to);
            }
        }
    }

    private void reverse(int row) {
        for (int left = row, right = row + columns - 1; left < right; left++, right--) {
            byte kept = moved[left];
            moved[left] = moved[right];
            moved[right] = kept;
        }
    }

    private void cut(Change change, MemorySegment target, long channel) {
        long bytes = (long) (change.cutRight() - change.cutLeft()) * Float.BYTES;
        for (int row = change.cutTop(); row < change.cutBottom(); row++) {
            long first = channel + ((long) row * columns + change.cutLeft()) * Float.BYTES;
            target.asSlice(first, bytes).fill((byte) 0);
        }
    }
}
