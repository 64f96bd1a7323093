package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// [ChunkMaxPool2d] of several models, and [ChunkMaxPool2x2].
final class LaneMaxPool2d implements LaneLayer {
    private final LaneValues input;
    private final LaneValues output;
    private final int kernel;
    private final int stride;
    private final float[] winners; // in the output's places: the number of the largest in its window

    LaneMaxPool2d(LaneValues input, int rows, int columns, int kernel, int stride, int samples) {
        this.input = input;
        this.kernel = kernel;
        this.stride = stride;
        output = LaneValues.dense(input.channels(), rows, columns, columns, samples, input.hasGradient());
        winners = new float[output.data().length];
    }

    @Override
    public LaneValues output() {
        return output;
    }

    @Override
    public void forward(int first, int samples) {
        for (int row = 0; row < samples * output.channels() * output.rows(); row++) {
            poolVectors(corner(row), row * output.columns() * LENGTH);
        }
    }

    /// Where the first window of a row of all samples' outputs begins in the input.
    private int corner(int row) {
        int plane = row / output.rows() * input.rows();
        return (plane + row % output.rows() * stride) * input.columns() * LENGTH;
    }

    private void poolVectors(int from, int to) {
        float[] x = input.data();
        int down = input.columns() * LENGTH;
        for (int column = 0; column < output.columns(); column++) {
            int corner = from + column * stride * LENGTH;
            FloatVector best = FloatVector.fromArray(SPECIES, x, corner);
            FloatVector winner = FloatVector.zero(SPECIES);
            for (int tap = 1; tap < kernel * kernel; tap++) {
                int at = corner + tap / kernel * down + tap % kernel * LENGTH;
                FloatVector next = FloatVector.fromArray(SPECIES, x, at);
                // what is not a number wins, as in PyTorch
                VectorMask<Float> larger =
                        next.compare(VectorOperators.GT, best).or(next.test(VectorOperators.IS_NAN));
                best = best.blend(next, larger);
                winner = winner.blend(tap, larger);
            }
            best.intoArray(output.data(), to + column * LENGTH);
            winner.intoArray(winners, to + column * LENGTH);
        }
    }

    @Override
    public void backward(Chunk chunk) {
        if (!input.hasGradient()) {
            return;
        }
        if (stride < kernel) {
            Arrays.fill(input.gradient(), 0, chunk.samples() * input.stride(), 0);
        }
        for (int row = 0; row < chunk.samples() * output.channels() * output.rows(); row++) {
            int from = row * output.columns() * LENGTH;
            if (stride < kernel) {
                collectVectors(from, corner(row));
            } else {
                unpoolVectors(from, corner(row));
            }
        }
    }

    /// Where windows are apart: each of their values is written.
    private void unpoolVectors(int from, int to) {
        float[] slopes = input.gradient();
        int down = input.columns() * LENGTH;
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int column = 0; column < output.columns(); column++) {
            FloatVector winner = FloatVector.fromArray(SPECIES, winners, from + column * LENGTH);
            FloatVector slope = FloatVector.fromArray(SPECIES, output.gradient(), from + column * LENGTH);
            int corner = to + column * stride * LENGTH;
            for (int tap = 0; tap < kernel * kernel; tap++) {
                zero.blend(slope, winner.compare(VectorOperators.EQ, tap))
                        .intoArray(slopes, corner + tap / kernel * down + tap % kernel * LENGTH);
            }
        }
    }

    /// Where windows overlap: each adds to its winner.
    private void collectVectors(int from, int to) {
        float[] slopes = input.gradient();
        int down = input.columns() * LENGTH;
        for (int column = 0; column < output.columns(); column++) {
            FloatVector winner = FloatVector.fromArray(SPECIES, winners, from + column * LENGTH);
            FloatVector slope = FloatVector.fromArray(SPECIES, output.gradient(), from + column * LENGTH);
            int corner = to + column * stride * LENGTH;
            for (int tap = 0; tap < kernel * kernel; tap++) {
                int at = corner + tap / kernel * down + tap % kernel * LENGTH;
                FloatVector sum = FloatVector.fromArray(SPECIES, slopes, at);
                sum.blend(sum.add(slope), winner.compare(VectorOperators.EQ, tap))
                        .intoArray(slopes, at);
            }
        }
    }
}
