package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.SPECIES;

import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.device.session.UpdateRule;
import java.util.Arrays;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// The optimizers' step of several models, each with its own numbers. The rules are those of
/// [io.trainyard.device.host.ParameterUpdate], with the same operations, and a loop for each.
abstract class LaneUpdate {
    /// What is added of a parameter to its gradient. Rules have their own numbers behind it.
    static final int DECAY = 0;

    private final float[] numbers;
    private final float[] takesPart = new float[Lanes.COUNT];

    /// @param numbers that a model has, with [#DECAY]
    LaneUpdate(int numbers) {
        this.numbers = new float[numbers * Lanes.COUNT];
    }

    static LaneUpdate of(Loop loop) {
        return switch (loop) {
            case PLAIN, MOMENTUM, NESTEROV -> new LaneSgd(loop == Loop.NESTEROV);
            case ADAM, AMSGRAD -> new LaneAdam();
            case RMSPROP, RMSPROP_MOMENTUM -> new LaneRmsprop(false);
            case RMSPROP_CENTERED, RMSPROP_CENTERED_MOMENTUM -> new LaneRmsprop(true);
        };
    }

    /// Leaves all models as they are.
    final void rest() {
        Arrays.fill(takesPart, 0);
    }

    /// Leaves a model as it is.
    final void rest(int lane) {
        takesPart[lane] = 0;
    }

    /// Has the next step change a model.
    final void set(int lane, UpdateRule rule) {
        takesPart[lane] = 1;
        putNumbers(lane, rule);
    }

    /// [#put]s all of a model's numbers.
    abstract void putNumbers(int lane, UpdateRule rule);

    final void put(int lane, int number, float value) {
        numbers[number * Lanes.COUNT + lane] = value;
    }

    /// Takes the step for some parameters of all models.
    ///
    /// @param gradientAt the first one's gradient in its array
    /// @param from the first one in the other arrays
    /// @param state one for each of the optimizer's slots
    abstract void apply(float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length);

    static FloatVector load(float[] array, int at) {
        return FloatVector.fromArray(SPECIES, array, at);
    }

    final FloatVector number(int number) {
        return load(numbers, number * Lanes.COUNT);
    }

    /// The models for which a number is 1.
    final VectorMask<Float> which(int number) {
        return number(number).compare(VectorOperators.EQ, 1);
    }

    /// The models that stay as they are.
    final VectorMask<Float> resting() {
        return load(takesPart, 0).compare(VectorOperators.EQ, 0);
    }

    /// Without weight decay the parameter plays no part, as in PyTorch: 0 times an infinite one would be NaN.
    final FloatVector decayed(FloatVector p, FloatVector g) {
        FloatVector decay = number(DECAY);
        return decay.fma(p, g).blend(g, decay.compare(VectorOperators.EQ, 0));
    }

    /// `torch.lerp` from m to d.
    ///
    /// @param approach the number that says how far, from the end where `ends`
    final FloatVector approached(FloatVector m, FloatVector d, int approach, VectorMask<Float> ends) {
        return number(approach).fma(d.sub(m), m.blend(d, ends));
    }
}
