package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// max(0, x), in place. The backward pass uses the output to determine where the input was positive; no other kind
/// of layer needs its own output.
record VectorRelu(Values output) implements VectorLayer {
    @Override
    public void forward(int first, int samples, boolean training) {
        clampVectors(output.data, output.grid.origin(), output.end(samples));
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        maskVectors(output.gradient, output.data, output.grid.origin(), output.end(samples));
    }

    private static void clampVectors(float[] values, int from, int to) {
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int i = from; i < to; i += LENGTH) {
            FloatVector x = FloatVector.fromArray(SPECIES, values, i);
            x.blend(zero, x.compare(VectorOperators.LT, 0)).intoArray(values, i);
        }
    }

    private static void maskVectors(float[] gradient, float[] outputs, int from, int to) {
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int i = from; i < to; i += LENGTH) {
            FloatVector y = FloatVector.fromArray(SPECIES, outputs, i);
            FloatVector g = FloatVector.fromArray(SPECIES, gradient, i);
            g.blend(zero, y.compare(VectorOperators.LE, 0)).intoArray(gradient, i);
        }
    }
}
