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
    private final long inPixel; // from a pixel of the input to the next, in bytes, as all of these
    private final long inRow;
    private final long outPixel;
    private final long windowStep; // from a window to the next, in the input
    private final long[] taps; // from a window's first value to each of its values, row by row

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
        inPixel = in.columnStride() * Float.BYTES;
        inRow = in.rowStride() * Float.BYTES;
        outPixel = out.columnStride() * Float.BYTES;
        windowStep = stride * inPixel;
        taps = new long[kernel * kernel];
        for (int k = 0; k < taps.length; k++) {
            taps[k] = k / kernel * inRow + k % kernel * inPixel;
        }
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
        if (kernel == 2) {
            forEachRow((from, to) -> chooseOfFourVectors(values, from, largest, winners, to));
        } else {
            forEachRow((from, to) -> chooseVectors(values, from, largest, winners, to));
        }
    }

    private void chooseVectors(MemorySegment values, long from, MemorySegment largest, MemorySegment winners, long to) {
        for (int column = 0; column < out.columns(); column++) {
            long corner = from + column * windowStep;
            long at = to + column * outPixel;
            FloatVector best = Lanes.load(values, corner);
            FloatVector winner = FloatVector.zero(Lanes.SPECIES);
            for (int k = 0; k < taps.length; k++) { // from the first on: it may be NaN
                FloatVector next = Lanes.load(values, corner + taps[k]);
                VectorMask<Float> larger = larger(next, best);
                best = best.blend(next, larger);
                winner = winner.blend(FloatVector.broadcast(Lanes.SPECIES, k), larger);
            }
            Lanes.store(best, largest, at);
            Lanes.store(winner, winners, at);
        }
    }

    /// The same for windows of two rows and columns, half as long.
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

    /// What is not a number is the only value that is not equal to itself.
    private static VectorMask<Float> larger(FloatVector next, FloatVector best) {
        return next.compare(VectorOperators.GT, best).or(next.compare(VectorOperators.NE, next));
    }

    /// @param gradient of the largest values
    /// @param winners of [#forward]
    /// @param to where the images' gradient goes
    public void backward(MemorySegment gradient, MemorySegment winners, MemorySegment to) {
        boolean each = kernel == 2 && stride == 2 && in.rows() % 2 == 0 && in.columns() % 2 == 0;
        if (each) {
            forEachRow((corner, from) -> spreadOverFourVectors(gradient, winners, from, to, corner));
        } else {
            to.fill((byte) 0);
            forEachRow((corner, from) -> {
                for (int k = 0; k < taps.length; k++) {
                    addTapVectors(gradient, winners, from, to, corner + taps[k], k);
                }
            });
        }
    }

    /// Windows that cover every value once write each of theirs.
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

    /// Adds what a row of windows gives to one value of each: others may have given to it, too.
    private void addTapVectors(
            MemorySegment gradient, MemorySegment winners, long from, MemorySegment to, long first, float tap) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        for (int column = 0; column < out.columns(); column++) {
            long at = from + column * outPixel;
            long place = first + column * windowStep;
            VectorMask<Float> won = Lanes.load(winners, at).compare(VectorOperators.EQ, tap);
            Lanes.store(Lanes.load(to, place).add(zero.blend(Lanes.load(gradient, at), won)), to, place);
        }
    }
}
