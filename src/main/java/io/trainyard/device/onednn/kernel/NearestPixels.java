package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Nearest;
import java.lang.foreign.MemorySegment;

/// Resizes images by copying pixels.
///
/// A vector holds adjacent channels of one pixel. The padding of blocked layouts is 0 and stays 0.
public final class NearestPixels {
    private final ImageLayout in;
    private final ImageLayout out;
    private final long[] rows; // offset of the source row of each output row, in floats
    private final long[] columns; // offset of the source column of each output column, in bytes
    private final long outPixel; // between adjacent pixels of the output, in bytes

    public NearestPixels(ImageLayout in, ImageLayout out, Nearest nearestRow, Nearest nearestColumn) {
        this.in = in;
        this.out = out;
        rows = new long[out.rows()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = nearestRow.source(i) * in.rowStride();
        }
        columns = new long[out.columns()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = nearestColumn.source(i) * in.columnStride() * Float.BYTES;
        }
        outPixel = out.columnStride() * Float.BYTES;
    }

    private interface RowVisitor {
        /// @param inRow offset of an input row, in bytes
        /// @param outRow offset of the output row copied from it, in bytes
        void visit(long inRow, long outRow);
    }

    private void forEachRow(RowVisitor visitor) {
        for (int sample = 0; sample < out.samples(); sample++) {
            for (int block = 0; block < out.blocks(); block++) {
                for (int lane = 0; lane < out.lanes(); lane += Lanes.COUNT) {
                    long from = in.begin(sample, block) + lane;
                    long to = out.begin(sample, block) + lane;
                    for (int row = 0; row < rows.length; row++) {
                        visitor.visit((from + rows[row]) * Float.BYTES, (to + row * out.rowStride()) * Float.BYTES);
                    }
                }
            }
        }
    }

    public void forward(MemorySegment images, MemorySegment to) {
        forEachRow((from, row) -> copyVectors(images, from, to, row));
    }

    private void copyVectors(MemorySegment images, long from, MemorySegment to, long row) {
        for (int column = 0; column < columns.length; column++) {
            Lanes.store(Lanes.load(images, from + columns[column]), to, row + column * outPixel);
        }
    }

    /// @param gradient of the output
    /// @param to receives the gradient of the images
    public void backward(MemorySegment gradient, MemorySegment to) {
        to.fill((byte) 0);
        forEachRow((row, from) -> addVectors(gradient, from, to, row));
    }

    private void addVectors(MemorySegment gradient, long from, MemorySegment to, long row) {
        for (int column = 0; column < columns.length; column++) {
            long pixel = row + columns[column];
            Lanes.store(Lanes.load(to, pixel).add(Lanes.load(gradient, from + column * outPixel)), to, pixel);
        }
    }
}
