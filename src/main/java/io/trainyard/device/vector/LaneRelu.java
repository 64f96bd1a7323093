package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// [ChunkRelu] of several models.
record LaneRelu(LaneValues output) implements LaneLayer {
    @Override
    public void forward(int first, int samples) {
        clampVectors(output.data(), samples * output.stride());
    }

    @Override
    public void backward(Chunk chunk) {
        maskVectors(output.gradient(), output.data(), chunk.samples() * output.stride());
    }

    private static void clampVectors(float[] values, int to) {
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int i = 0; i < to; i += LENGTH) {
            FloatVector x = FloatVector.fromArray(SPECIES, values, i);
            x.blend(zero, x.compare(VectorOperators.LT, 0)).intoArray(values, i);
        }
    }

    private static void maskVectors(float[] gradient, float[] outputs, int to) {
        FloatVector zero = FloatVector.zero(SPECIES);
        for (int i = 0; i < to; i += LENGTH) {
            FloatVector y = FloatVector.fromArray(SPECIES, outputs, i);
            FloatVector g = FloatVector.fromArray(SPECIES, gradient, i);
            g.blend(zero, y.compare(VectorOperators.LE, 0)).intoArray(gradient, i);
        }
    }
}
