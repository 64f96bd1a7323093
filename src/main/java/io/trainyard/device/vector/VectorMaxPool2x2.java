package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import java.util.function.IntUnaryOperator;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/// 2x2 max pooling of one vector of windows at a time, without branches, because the CPU would mispredict half of
/// them. The gradient goes to the first of equal values, row by row.
///
/// Every vector is written completely. Invalid values to the right of a row are overwritten by the following rows,
/// or are in undefined space.
final class VectorMaxPool2x2 implements VectorLayer {
    private static final VectorShuffle<Float> EVENS = shuffle(lane -> 2 * lane % LENGTH);
    private static final VectorShuffle<Float> ODDS = shuffle(lane -> (2 * lane + 1) % LENGTH);
    private static final VectorShuffle<Float> LOWER_TWICE = shuffle(lane -> lane / 2);
    private static final VectorShuffle<Float> UPPER_TWICE = shuffle(lane -> LENGTH / 2 + lane / 2);
    private static final VectorMask<Float> UPPER = mask(lane -> lane >= LENGTH / 2);
    private static final VectorMask<Float> ODD = mask(lane -> lane % 2 == 1);

    private final Values input;
    private final Values output;

    /// The index in its window of the largest value, 0 to 3, row by row; in the layout of the output.
    private final float[] winners;

    VectorMaxPool2x2(Values input, int rows, int columns, int samples) {
        this.input = input;
        output = new Values(SampleGrid.tiled(input.grid.channels(), rows, columns), samples, input.hasGradient());
        winners = new float[output.data.length];
    }

    private static VectorShuffle<Float> shuffle(IntUnaryOperator source) {
        return VectorShuffle.fromOp(SPECIES, source);
    }

    private interface Choice {
        boolean of(int lane);
    }

    private static VectorMask<Float> mask(Choice choice) {
        boolean[] lanes = new boolean[LENGTH];
        for (int lane = 0; lane < LENGTH; lane++) {
            lanes[lane] = choice.of(lane);
        }
        return VectorMask.fromArray(SPECIES, lanes, 0);
    }

    @Override
    public Values output() {
        return output;
    }

    @Override
    public void forward(int first, int samples, boolean training) {
        for (int s = 0; s < samples; s++) {
            for (int channel = 0; channel < output.grid.channels(); channel++) {
                poolVectors(input.grid.at(s, channel, 0), output.grid.at(s, channel, 0));
            }
        }
    }

    private void poolVectors(int inputAt, int outputAt) {
        float[] x = input.data;
        int below = input.grid.pitch();
        for (int row = 0; row < output.grid.rows(); row++) {
            for (int column = 0; column < output.grid.columns(); column += LENGTH) {
                int from = inputAt + 2 * row * below + 2 * column;
                int to = outputAt + row * output.grid.pitch() + column;
                FloatVector left = FloatVector.fromArray(SPECIES, x, from);
                FloatVector right = FloatVector.fromArray(SPECIES, x, from + LENGTH);
                FloatVector best = together(left, right, EVENS);
                FloatVector winner = FloatVector.zero(SPECIES);
                FloatVector next = together(left, right, ODDS);
                VectorMask<Float> larger = larger(next, best);
                best = best.blend(next, larger);
                winner = winner.blend(1, larger);
                left = FloatVector.fromArray(SPECIES, x, from + below);
                right = FloatVector.fromArray(SPECIES, x, from + below + LENGTH);
                next = together(left, right, EVENS);
                larger = larger(next, best);
                best = best.blend(next, larger);
                winner = winner.blend(2, larger);
                next = together(left, right, ODDS);
                larger = larger(next, best);
                best.blend(next, larger).intoArray(output.data, to);
                winner.blend(3, larger).intoArray(winners, to);
            }
        }
    }

    private static FloatVector together(FloatVector left, FloatVector right, VectorShuffle<Float> lanes) {
        return left.rearrange(lanes).blend(right.rearrange(lanes), UPPER);
    }

    /// NaN is the largest, as in PyTorch.
    private static VectorMask<Float> larger(FloatVector next, FloatVector best) {
        return next.compare(VectorOperators.GT, best).or(next.test(VectorOperators.IS_NAN));
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        if (!input.hasGradient()) {
            return;
        }
        for (int s = 0; s < samples; s++) {
            for (int channel = 0; channel < output.grid.channels(); channel++) {
                unpoolVectors(output.grid.at(s, channel, 0), input.grid.at(s, channel, 0));
            }
        }
    }

    /// Writes one plane, each row of windows as two rows of values: first those with index 0 and 1, then 2 and 3.
    private void unpoolVectors(int outputAt, int inputAt) {
        FloatVector zero = FloatVector.zero(SPECIES);
        int columns = output.grid.columns();
        for (int half = 0; half < 2 * output.grid.rows(); half++) {
            int value = half % 2 * 2;
            for (int column = 0; column < columns; column += LENGTH) {
                int from = outputAt + half / 2 * output.grid.pitch() + column;
                int to = inputAt + half * input.grid.pitch() + 2 * column;
                FloatVector winner = FloatVector.fromArray(SPECIES, winners, from);
                FloatVector gradient = zero.blend(
                        FloatVector.fromArray(SPECIES, output.gradient, from),
                        SPECIES.indexInRange(0, Math.min(columns - column, LENGTH)));
                FloatVector evens = zero.blend(gradient, winner.compare(VectorOperators.EQ, value));
                FloatVector odds = zero.blend(gradient, winner.compare(VectorOperators.EQ, value + 1));
                evens.rearrange(LOWER_TWICE)
                        .blend(odds.rearrange(LOWER_TWICE), ODD)
                        .intoArray(input.gradient, to);
                evens.rearrange(UPPER_TWICE)
                        .blend(odds.rearrange(UPPER_TWICE), ODD)
                        .intoArray(input.gradient, to + LENGTH);
            }
        }
    }
}
