package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.UpdateSpec;
import java.util.Arrays;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// What the loops of several models do with a batch's gradients, each with its own numbers, where they are not plain:
/// accumulate them, clip them, average what the optimizer's step has made. As
/// [io.trainyard.device.host.ShardedSession] has it, with the same operations in the same order.
final class LaneLoop {
    private static final int TAKES_PART = 0;
    private static final int UPDATES = 1;
    private static final int LIMIT = 2;
    private static final int FACTOR = 3;
    private static final int KEEP = 4;
    private static final int TAKE = 5;
    private static final int COPIES = 6;
    private static final int NUMBERS = 7;

    private final float[] numbers = new float[NUMBERS * Lanes.COUNT];
    private final double[] squares = new double[Lanes.COUNT];
    private final double[] ofBlock = new double[Lanes.COUNT];
    private final UpdateSpec form;
    private final float share; // of a batch's gradients in what is accumulated

    /// @param form of which the numbers are each model's own
    LaneLoop(UpdateSpec form) {
        this.form = form;
        share = 1f / form.loop().accumulateSteps();
    }

    /// What loops of one program have in common: all but their numbers.
    record Form(int accumulateSteps, boolean byNorm, boolean byValue, boolean averages) {
        static Form of(LoopSpec loop) {
            return new Form(
                    loop.accumulateSteps(),
                    loop.maxNorm().isPresent(),
                    loop.maxValue().isPresent(),
                    loop.average().isPresent());
        }
    }

    /// Leaves all models as they are.
    void rest() {
        Arrays.fill(numbers, TAKES_PART * Lanes.COUNT, (UPDATES + 1) * Lanes.COUNT, 0);
    }

    /// Leaves a model as it is.
    void rest(int lane) {
        put(lane, TAKES_PART, 0);
        put(lane, UPDATES, 0);
    }

    /// Has the next step take in a model's gradients.
    ///
    /// @param updates whether the optimizer takes its step with them
    /// @param step how many it has made with this one
    void set(int lane, LoopSpec loop, boolean updates, long step) {
        put(lane, TAKES_PART, 1);
        put(lane, UPDATES, updates ? 1 : 0);
        put(lane, LIMIT, (float) loop.maxValue().orElse(Double.POSITIVE_INFINITY));
        put(lane, FACTOR, 1);
        double decay = loop.average().map(EmaSpec::decay).orElse(0.0);
        put(lane, KEEP, (float) decay);
        put(lane, TAKE, (float) (1 - decay));
        put(lane, COPIES, step == 1 ? 1 : 0);
    }

    private void put(int lane, int number, float value) {
        numbers[number * Lanes.COUNT + lane] = value;
    }

    private static FloatVector load(float[] array, int at) {
        return FloatVector.fromArray(SPECIES, array, at);
    }

    private FloatVector number(int number) {
        return load(numbers, number * Lanes.COUNT);
    }

    private VectorMask<Float> which(int number) {
        return number(number).compare(VectorOperators.EQ, 1);
    }

    /// What a model's gradients are multiplied by.
    interface Clipping {
        /// @param squares the sum of the squares of all of them
        float coefficient(int lane, double squares);
    }

    /// Takes in the gradients of a batch, and the optimizers' step of those that update with it.
    ///
    /// @param state slots as [UpdateSpec#slots] has them
    /// @param clipping asked of every model that updates, where gradients are clipped by norm
    void step(LaneUpdate update, float[] values, float[] gradients, List<float[]> state, Clipping clipping) {
        float[] sum = form.accumulated() < 0 ? gradients : state.get(form.accumulated());
        if (form.accumulated() >= 0) {
            accumulateVectors(sum, gradients);
        }
        if (form.loop().maxNorm().isPresent()) {
            sumSquares(sum);
            for (int lane = 0; lane < Lanes.COUNT; lane++) {
                if (numbers[UPDATES * Lanes.COUNT + lane] == 1) {
                    put(lane, FACTOR, clipping.coefficient(lane, squares[lane]));
                }
            }
        }
        if (form.loop().clip() != null) {
            clipVectors(sum);
        }
        int slots = form.optimizer().slots().size();
        update.apply(values, sum, 0, state.subList(0, slots), 0, values.length);
        if (form.averaged() >= 0) {
            averageVectors(state.get(form.averaged()), values);
        }
        if (form.accumulated() >= 0) {
            clearVectors(sum);
        }
    }

    private void accumulateVectors(float[] sum, float[] more) {
        VectorMask<Float> taking = which(TAKES_PART);
        for (int i = 0; i < sum.length; i += LENGTH) {
            FloatVector s = load(sum, i);
            s.blend(s.add(load(more, i).mul(share)), taking).intoArray(sum, i);
        }
    }

    /// NaN stays.
    private void clipVectors(float[] gradients) {
        VectorMask<Float> updating = which(UPDATES);
        FloatVector limit = number(LIMIT);
        FloatVector factor = number(FACTOR);
        for (int i = 0; i < gradients.length; i += LENGTH) {
            FloatVector g = load(gradients, i);
            FloatVector clipped = g.min(limit).max(limit.neg()).mul(factor);
            g.blend(clipped, updating).intoArray(gradients, i);
        }
    }

    private void averageVectors(float[] averages, float[] values) {
        VectorMask<Float> updating = which(UPDATES);
        VectorMask<Float> copying = which(COPIES);
        FloatVector keep = number(KEEP);
        FloatVector take = number(TAKE);
        for (int i = 0; i < averages.length; i += LENGTH) {
            FloatVector a = load(averages, i);
            FloatVector p = load(values, i);
            FloatVector next = keep.mul(a).add(take.mul(p)).blend(p, copying);
            a.blend(next, updating).intoArray(averages, i);
        }
    }

    private void clearVectors(float[] sum) {
        VectorMask<Float> updating = which(UPDATES);
        for (int i = 0; i < sum.length; i += LENGTH) {
            load(sum, i).blend(0, updating).intoArray(sum, i);
        }
    }

    /// In blocks, as one model by itself has its update.
    private void sumSquares(float[] gradients) {
        Arrays.fill(squares, 0);
        int block = VectorSession.UPDATE_BLOCK * Lanes.COUNT;
        for (int from = 0; from < gradients.length; from += block) {
            Arrays.fill(ofBlock, 0);
            for (int at = from; at < Math.min(gradients.length, from + block); at += Lanes.COUNT) {
                for (int lane = 0; lane < Lanes.COUNT; lane++) {
                    ofBlock[lane] += (double) gradients[at + lane] * gradients[at + lane];
                }
            }
            for (int lane = 0; lane < Lanes.COUNT; lane++) {
                squares[lane] += ofBlock[lane];
            }
        }
    }
}
