package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// The largest value of each window, whose gradient goes to the first of equals, row by row. What is not a number is
/// the largest, as in PyTorch: oneDNN passes it over, and gives the lowest float for a window of negative infinities.
///
/// A vector is some neighbouring channels of one pixel. The padding of blocked layouts is 0 and stays so.
public final class MaxPool {
    private final ImageLayout in;
    private final ImageLayout out;
    private final int kernel;
    private final int stride;

    /// @param out as `in`, with as many rows and columns as there are windows
    /// @throws IllegalArgumentException unless [#computes] both
    public MaxPool(ImageLayout in, ImageLayout out, int kernel, int stride) {
        if (!computes(in) || !computes(out) || in.lanes() != out.lanes()) {
            throw new IllegalArgumentException(
                    "images have %d channels side by side, pooled ones %d; both must be the same multiple of %d"
                            .formatted(in.lanes(), out.lanes(), Lanes.COUNT));
        }
        this.in = in;
        this.out = out;
        this.kernel = kernel;
        this.stride = stride;
    }

    /// Whether vectors of channels can be had from such images.
    public static boolean computes(ImageLayout layout) {
        return layout.lanes() % Lanes.COUNT == 0;
    }

    private interface RowVisitor {
        /// @param inRow where a row of windows begins in the input, in bytes
        /// @param outRow where their row of the output begins, in bytes
        void visit(long inRow, long outRow);
    }

    /// The rows of windows of every vector of channels.
    private void forEachRow(RowVisitor visitor) {
        for (int sample = 0; sample < out.samples(); sample++) {
            for (int block = 0; block < out.blocks(); block++) {
                for (int lane = 0; lane < out.lanes(); lane += Lanes.COUNT) {
                    long from = in.begin(sample, block) + lane;
                    long to = out.begin(sample, block) + lane;
                    for (int row = 0; row < out.rows(); row++) {
                        visitor.visit(
                                (from + row * stride * in.rowStride()) * Float.BYTES,
                                (to + row * out.rowStride()) * Float.BYTES);
                    }
                }
            }
        }
    }

    /// @param values the images
    /// @param largest where the largest go
    /// @param winners where it goes which value of its window each was, row by row from 0; as `largest`
    public void forward(MemorySegment values, MemorySegment largest, MemorySegment winners) {
        forEachRow((from, to) -> chooseRow(values, from, largest, winners, to));
    }

    /// As the other, for who asks no gradients.
    public void forward(MemorySegment values, MemorySegment largest) {
        forEachRow((from, to) -> chooseRow(values, from, largest, to));
    }

    private void chooseRow(MemorySegment values, long from, MemorySegment largest, MemorySegment winners, long to) {
        long pixel = in.columnStride() * Float.BYTES;
        long row = in.rowStride() * Float.BYTES;
        long end = to + out.columns() * out.columnStride() * Float.BYTES;
        for (long at = to; at < end; at += out.columnStride() * Float.BYTES) {
            FloatVector best = Lanes.load(values, from);
            FloatVector winner = FloatVector.zero(Lanes.SPECIES);
            for (int a = 0; a < kernel; a++) {
                for (int b = 0; b < kernel; b++) {
                    FloatVector next = Lanes.load(values, from + a * row + b * pixel);
                    VectorMask<Float> larger = larger(next, best);
                    best = best.blend(next, larger);
                    winner = winner.blend(FloatVector.broadcast(Lanes.SPECIES, a * kernel + b), larger);
                }
            }
            Lanes.store(best, largest, at);
            Lanes.store(winner, winners, at);
            from += stride * pixel;
        }
    }

    private void chooseRow(MemorySegment values, long from, MemorySegment largest, long to) {
        long pixel = in.columnStride() * Float.BYTES;
        long row = in.rowStride() * Float.BYTES;
        long end = to + out.columns() * out.columnStride() * Float.BYTES;
        for (long at = to; at < end; at += out.columnStride() * Float.BYTES) {
            FloatVector best = Lanes.load(values, from);
            for (int a = 0; a < kernel; a++) {
                for (int b = 0; b < kernel; b++) {
                    FloatVector next = Lanes.load(values, from + a * row + b * pixel);
                    best = best.blend(next, larger(next, best));
                }
            }
            Lanes.store(best, largest, at);
            from += stride * pixel;
        }
    }

    private static VectorMask<Float> larger(FloatVector next, FloatVector best) {
        return next.compare(VectorOperators.GT, best).or(next.test(VectorOperators.IS_NAN));
    }

    /// @param gradient of the largest values
    /// @param winners of [#forward]
    /// @param to where the images' gradient goes
    public void backward(MemorySegment gradient, MemorySegment winners, MemorySegment to) {
        if (stride < kernel) {
            to.fill((byte) 0);
            forEachRow((inRow, outRow) -> addRow(gradient, winners, outRow, to, inRow));
        } else {
            boolean covered =
                    stride == kernel && out.rows() * stride == in.rows() && out.columns() * stride == in.columns();
            if (!covered) {
                to.fill((byte) 0);
            }
            forEachRow((inRow, outRow) -> spreadRow(gradient, winners, outRow, to, inRow));
        }
    }

    /// Windows that share nothing write all of their values.
    private void spreadRow(MemorySegment gradient, MemorySegment winners, long from, MemorySegment to, long corner) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        long pixel = in.columnStride() * Float.BYTES;
        long row = in.rowStride() * Float.BYTES;
        long end = from + out.columns() * out.columnStride() * Float.BYTES;
        for (long at = from; at < end; at += out.columnStride() * Float.BYTES) {
            FloatVector given = Lanes.load(gradient, at);
            FloatVector winner = Lanes.load(winners, at);
            for (int a = 0; a < kernel; a++) {
                for (int b = 0; b < kernel; b++) {
                    VectorMask<Float> won = winner.compare(VectorOperators.EQ, a * kernel + b);
                    Lanes.store(zero.blend(given, won), to, corner + a * row + b * pixel);
                }
            }
            corner += stride * pixel;
        }
    }

    /// Windows that overlap add to what others gave.
    private void addRow(MemorySegment gradient, MemorySegment winners, long from, MemorySegment to, long corner) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        long pixel = in.columnStride() * Float.BYTES;
        long row = in.rowStride() * Float.BYTES;
        long end = from + out.columns() * out.columnStride() * Float.BYTES;
        for (long at = from; at < end; at += out.columnStride() * Float.BYTES) {
            FloatVector given = Lanes.load(gradient, at);
            FloatVector winner = Lanes.load(winners, at);
            for (int a = 0; a < kernel; a++) {
                for (int b = 0; b < kernel; b++) {
                    long place = corner + a * row + b * pixel;
                    VectorMask<Float> won = winner.compare(VectorOperators.EQ, a * kernel + b);
                    Lanes.store(Lanes.load(to, place).add(zero.blend(given, won)), to, place);
                }
            }
            corner += stride * pixel;
        }
    }
}
