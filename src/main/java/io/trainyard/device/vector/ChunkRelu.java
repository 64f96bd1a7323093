package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// max(0, x), in place: no layer's backward pass needs what the layer itself gave out, except this one's, which
/// tells from its output where the input was positive.
record ChunkRelu(Values output) implements ChunkLayer {
    @Override
    public void forward(int first, int samples, boolean training) {
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int i = output.grid.origin(); i < output.end(samples); i += LENGTH) {
            FloatVector x = FloatVector.fromArray(SPECIES, output.data, i);
            x.blend(zero, x.compare(VectorOperators.LT, 0)).intoArray(output.data, i);
        }
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int i = output.grid.origin(); i < output.end(samples); i += LENGTH) {
            FloatVector y = FloatVector.fromArray(SPECIES, output.data, i);
            FloatVector g = FloatVector.fromArray(SPECIES, output.gradient, i);
            g.blend(zero, y.compare(VectorOperators.LE, 0)).intoArray(output.gradient, i);
        }
    }
}
