package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Augmentation.Change;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Turns samples of a data set into what a network takes: float32, augmented, scaled and normalised. Each thread
/// that assembles needs one of its own.
public final class BatchAssembler {
    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final PixelLanes lanes;
    private final int channels;
    private final int columns;
    private final byte[] moved; // (rows, columns): one channel after crop and flip
    private final float[] sample; // (channels, rows, columns)

    public BatchAssembler(Dataset dataset, PixelScale scale) {
        this.lanes = new PixelLanes(scale);
        this.channels = dataset.shape().size(0);
        this.columns = dataset.shape().size(2);
        this.moved = new byte[dataset.shape().size(1) * columns];
        this.sample = new float[dataset.shape().elements()];
    }

    /// Writes the samples `order[from]` and following.
    ///
    /// @param samples how many
    /// @param changes what becomes of each of them; empty to leave all as they are
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
    /// @param index which of the split
    /// @param change what becomes of it; null to leave it as it is
    /// @param target (channels, rows, columns), row-major, from `at` on
    public void assemble(Dataset.Split split, int index, @Nullable Change change, float[] target, int at) {
        int area = moved.length;
        int from = index * channels * area;
        int to = at;
        for (int c = 0; c < channels; c++, from += area, to += area) {
            if (change == null) {
                lanes.write(split.pixels(), from, area, c, target, to);
            } else {
                move(split.pixels(), from, change);
                lanes.write(moved, 0, area, c, target, to);
                cut(change, target, to);
            }
        }
    }

    /// Crops and flips one channel: moves it as a whole, then blackens what a row took from its neighbours.
    private void move(byte[] pixels, int channel, Change change) {
        int ahead = change.down() * columns + change.right();
        int first = Math.clamp(-(long) ahead, 0, moved.length);
        int end = Math.clamp(moved.length - (long) ahead, first, moved.length);
        Arrays.fill(moved, 0, first, (byte) 0);
        if (first < end) { // else nothing of the image is left, and the place to copy from is outside it too
            System.arraycopy(pixels, channel + first + ahead, moved, first, end - first);
        }
        Arrays.fill(moved, end, moved.length, (byte) 0);
        int fromColumn = change.right() < 0 ? 0 : Math.max(0, columns - change.right());
        int toColumn = change.right() < 0 ? Math.min(columns, -change.right()) : columns;
        for (int row = 0; row < moved.length; row += columns) {
            for (int column = fromColumn; column < toColumn; column++) {
                moved[row + column] = 0;
            }
            if (change.flipped()) {
                reverse(row);
            }
        }
    }

    /// Eight bytes at a time, as long as both ends have them.
    private void reverse(int row) {
        int left = row;
        int end = row + columns;
        for (; end - left >= 2 * Long.BYTES; left += Long.BYTES, end -= Long.BYTES) {
            long first = (long) EIGHT_BYTES.get(moved, left);
            long last = (long) EIGHT_BYTES.get(moved, end - Long.BYTES);
            EIGHT_BYTES.set(moved, left, Long.reverseBytes(last));
            EIGHT_BYTES.set(moved, end - Long.BYTES, Long.reverseBytes(first));
        }
        for (end--; left < end; left++, end--) {
            byte kept = moved[left];
            moved[left] = moved[end];
            moved[end] = kept;
        }
    }

    private void cut(Change change, float[] target, int channel) {
        for (int row = change.cutTop(); row < change.cutBottom(); row++) {
            int first = channel + row * columns;
            Arrays.fill(target, first + change.cutLeft(), first + change.cutRight(), 0);
        }
    }
}
