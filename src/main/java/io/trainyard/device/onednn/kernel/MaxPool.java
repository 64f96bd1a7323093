package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Windows;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// The largest value of each window; the gradient goes to the first of equal values, row by row. NaN is the
/// largest, as in PyTorch: oneDNN ignores it, and returns the lowest float for a window of negative infinities.
///
/// A vector holds adjacent channels of one pixel. The padding of blocked layouts is 0 and stays 0.
public final class MaxPool implements WindowMaximum {
    private final ImageLayout in;
    private final ImageLayout out;
    private final Windows.Side rows;
    private final Windows.Side columns;
    private final boolean inside; // whether all taps are pixels of the images
    private final boolean ofFour; // whether windows are 2x2 and within the images
    private final long inPixel; // between adjacent pixels of the input, in bytes; likewise below
    private final long inRow;
    private final long outPixel;
    private final long windowStep; // between adjacent windows, in the input
    private final long[] taps; // offsets of a window's values from its first, row by row

    public MaxPool(ImageLayout in, ImageLayout out, Windows windows) {
        Lanes.requireSame(in, out);
        this.in = in;
        this.out = out;
        rows = windows.rows();
        columns = windows.columns();
        inside = rows.inside(in.rows(), out.rows()) && columns.inside(in.columns(), out.columns());
        ofFour = inside && isPair(rows) && isPair(columns);
        inPixel = in.columnStride() * Float.BYTES;
        inRow = in.rowStride() * Float.BYTES;
        outPixel = out.columnStride() * Float.BYTES;
        windowStep = columns.stride() * inPixel;
        taps = new long[rows.taps() * columns.taps()];
        for (int k = 0; k < taps.length; k++) {
            taps[k] = (long) k / columns.taps() * rows.dilation() * inRow
                    + (long) k % columns.taps() * columns.dilation() * inPixel;
        }
    }

    private static boolean isPair(Windows.Side side) {
        return side.taps() == 2 && side.dilation() == 1;
    }

    private interface RowVisitor {
        /// @param row of windows
        /// @param inRow offset of the input row in bytes; before the image if it is padded
        /// @param outRow offset of the output row in bytes
        void visit(int row, long inRow, long outRow);
    }

    private void forEachRow(RowVisitor visitor) {
        for (int sample = 0; sample < out.samples(); sample++) {
            for (int block = 0; block < out.blocks(); block++) {
                for (int lane = 0; lane < out.lanes(); lane += Lanes.COUNT) {
                    long from = in.begin(sample, block) + lane - columns.before() * in.columnStride();
                    long to = out.begin(sample, block) + lane;
                    for (int row = 0; row < out.rows(); row++) {
                        visitor.visit(
                                row,
                                (from + rows.begin(row) * in.rowStride()) * Float.BYTES,
                                (to + row * out.rowStride()) * Float.BYTES);
                    }
                }
            }
        }
    }

    @Override
    public void forward(MemorySegment values, MemorySegment largest, MemorySegment winners) {
        if (ofFour) {
            forEachRow((_, from, to) -> chooseOfFourVectors(values, from, largest, winners, to));
        } else if (inside) {
            forEachRow((_, from, to) -> chooseVectors(values, from, largest, winners, to));
        } else {
            forEachRow((row, from, to) -> choosePaddedVectors(values, row, from, largest, winners, to));
        }
    }

    private void chooseVectors(MemorySegment values, long from, MemorySegment largest, MemorySegment winners, long to) {
        for (int column = 0; column < out.columns(); column++) {
            long corner = from + column * windowStep;
            long at = to + column * outPixel;
            FloatVector best = Lanes.load(values, corner);
            FloatVector winner = FloatVector.zero(Lanes.SPECIES);
            for (int k = 0; k < taps.length; k++) { // includes the first, which may be NaN
                FloatVector next = Lanes.load(values, corner + taps[k]);
                VectorMask<Float> larger = larger(next, best);
                best = best.blend(next, larger);
                winner = winner.blend(FloatVector.broadcast(Lanes.SPECIES, k), larger);
            }
            Lanes.store(best, largest, at);
            Lanes.store(winner, winners, at);
        }
    }

    /// The same for windows with taps in the padding.
    private void choosePaddedVectors(
            MemorySegment values, int row, long from, MemorySegment largest, MemorySegment winners, long to) {
        int top = rows.firstTap(row);
        int bottom = rows.endTap(row, in.rows());
        for (int column = 0; column < out.columns(); column++) {
            long corner = from + column * windowStep;
            long at = to + column * outPixel;
            int left = columns.firstTap(column);
            int right = columns.endTap(column, in.columns());
            int first = top * columns.taps() + left;
            FloatVector best = Lanes.load(values, corner + taps[first]);
            FloatVector winner = FloatVector.broadcast(Lanes.SPECIES, first);
            for (int a = top; a < bottom; a++) {
                for (int k = a * columns.taps() + left; k < a * columns.taps() + right; k++) {
                    FloatVector next = Lanes.load(values, corner + taps[k]);
                    VectorMask<Float> larger = larger(next, best);
                    best = best.blend(next, larger);
                    winner = winner.blend(FloatVector.broadcast(Lanes.SPECIES, k), larger);
                }
            }
            Lanes.store(best, largest, at);
            Lanes.store(winner, winners, at);
        }
    }

    /// The same for 2x2 windows, in half the time.
    private void chooseOfFourVectors(
            MemorySegment values, long from, MemorySegment largest, MemorySegment winners, long to) {
        for (int column = 0; column < out.columns(); column++) {
            long corner = from + column * windowStep;
            long at = to + column * outPixel;
            FloatVector best = Lanes.load(values, corner);
            FloatVector next = Lanes.load(values, corner + inPixel);
            VectorMask<Float> larger = larger(next, best);
            best = best.blend(next, larger);
            FloatVector winner = FloatVector.zero(Lanes.SPECIES).blend(FloatVector.broadcast(Lanes.SPECIES, 1), larger);
            next = Lanes.load(values, corner + inRow);
            larger = larger(next, best);
            best = best.blend(next, larger);
            winner = winner.blend(FloatVector.broadcast(Lanes.SPECIES, 2), larger);
            next = Lanes.load(values, corner + inRow + inPixel);
            larger = larger(next, best);
            Lanes.store(best.blend(next, larger), largest, at);
            Lanes.store(winner.blend(FloatVector.broadcast(Lanes.SPECIES, 3), larger), winners, at);
        }
    }

    /// NaN is the only value that is not equal to itself.
    private static VectorMask<Float> larger(FloatVector next, FloatVector best) {
        return next.compare(VectorOperators.GT, best).or(next.compare(VectorOperators.NE, next));
    }

    @Override
    public void backward(MemorySegment gradient, MemorySegment winners, MemorySegment to) {
        boolean each =
                ofFour && rows.stride() == 2 && columns.stride() == 2 && in.rows() % 2 == 0 && in.columns() % 2 == 0;
        if (each) {
            forEachRow((_, corner, from) -> spreadOverFourVectors(gradient, winners, from, to, corner));
        } else {
            to.fill((byte) 0);
            forEachRow((row, corner, from) -> {
                int end = rows.endTap(row, in.rows()) * columns.taps();
                for (int k = rows.firstTap(row) * columns.taps(); k < end; k++) {
                    addTapVectors(gradient, winners, from, to, corner, k);
                }
            });
        }
    }

    /// Windows that cover every value exactly once write all of their values.
    private void spreadOverFourVectors(
            MemorySegment gradient, MemorySegment winners, long from, MemorySegment to, long first) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        for (int column = 0; column < out.columns(); column++) {
            long at = from + column * outPixel;
            long corner = first + column * windowStep;
            FloatVector given = Lanes.load(gradient, at);
            FloatVector winner = Lanes.load(winners, at);
            Lanes.store(zero.blend(given, winner.compare(VectorOperators.EQ, 0)), to, corner);
            Lanes.store(zero.blend(given, winner.compare(VectorOperators.EQ, 1)), to, corner + inPixel);
            Lanes.store(zero.blend(given, winner.compare(VectorOperators.EQ, 2)), to, corner + inRow);
            Lanes.store(zero.blend(given, winner.compare(VectorOperators.EQ, 3)), to, corner + inRow + inPixel);
        }
    }

    /// Adds the gradients of a row of windows to one value of each, because windows may overlap. In the first and
    /// the last windows the value may be padding.
    private void addTapVectors(
            MemorySegment gradient, MemorySegment winners, long from, MemorySegment to, long first, int tap) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        int ofRow = tap % columns.taps();
        int begin = columns.firstWindow(ofRow);
        int end = columns.endWindow(ofRow, in.columns(), out.columns());
        long pixel = first + taps[tap];
        for (int column = begin; column < end; column++) {
            long at = from + column * outPixel;
            long place = pixel + column * windowStep;
            VectorMask<Float> won = Lanes.load(winners, at).compare(VectorOperators.EQ, (float) tap);
            Lanes.store(Lanes.load(to, place).add(zero.blend(Lanes.load(gradient, at), won)), to, place);
        }
    }
}
