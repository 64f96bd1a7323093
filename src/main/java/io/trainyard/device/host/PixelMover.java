package io.trainyard.device.host;

import io.trainyard.device.Augmentation.Change;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Crops and flips one channel of an image. The area outside the image is black: 0.
final class PixelMover {
    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final int rows;
    private final int columns;
    private final byte[] moved; // (rows, columns)

    PixelMover(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        this.moved = new byte[rows * columns];
    }

    /// Moves a channel as a whole, then blackens values that wrapped around from adjacent rows.
    ///
    /// @param channel its start in `pixels`
    /// @return the channel after the change, until the next call
    byte[] move(byte[] pixels, int channel, Change change) {
        int ahead = change.down() * columns + change.right();
        int first = Math.clamp(-(long) ahead, 0, moved.length);
        int end = Math.clamp(moved.length - (long) ahead, first, moved.length);
        Arrays.fill(moved, 0, first, (byte) 0);
        if (first < end) { // otherwise the image is moved out completely, and the source range is invalid
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
        return moved;
    }

    /// Swaps eight bytes at a time, while both ends have them.
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

    /// The same for floats, row by row.
    ///
    /// @param channel its start in `values`
    /// @param at its start in `target`
    void move(float[] values, int channel, Change change, float[] target, int at) {
        int firstColumn = Math.clamp(-(long) change.right(), 0, columns); // of the columns that come from the image
        int endColumn = Math.clamp(columns - (long) change.right(), firstColumn, columns);
        Arrays.fill(target, at, at + rows * columns, 0);
        for (int row = 0; row < rows; row++) {
            int fromRow = row + change.down();
            if (fromRow < 0 || fromRow >= rows) {
                continue;
            }
            int from = channel + fromRow * columns + change.right();
            int to = at + row * columns;
            for (int column = firstColumn; column < endColumn; column++) {
                target[to + (change.flipped() ? columns - 1 - column : column)] = values[from + column];
            }
        }
    }
}
