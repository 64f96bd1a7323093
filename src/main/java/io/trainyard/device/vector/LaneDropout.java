package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;
import org.jspecify.annotations.Nullable;

/// [ChunkDropout] of several models, of which each draws its own masks.
final class LaneDropout implements LaneLayer {
    private final LaneValues output;
    private final String layer;
    private final @Nullable VectorSession[] models;
    private final float[] mask; // (samples, elements, lanes)

    /// @param models whose masks they are; null where a lane has none
    LaneDropout(LaneValues output, String layer, @Nullable VectorSession[] models) {
        this.output = output;
        this.layer = layer;
        this.models = models;
        mask = new float[output.data().length];
    }

    @Override
    public LaneValues output() {
        return output;
    }

    @Override
    public void forward(int first, int samples) {
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            VectorSession model = models[lane];
            if (model != null) {
                float[] own = model.masks().of(layer);
                int from = first * output.elements();
                for (int i = 0; i < samples * output.elements(); i++) {
                    mask[i * Lanes.COUNT + lane] = own[from + i];
                }
            }
        }
        multiplyVectors(output.data(), mask, samples * output.stride());
    }

    @Override
    public void backward(Chunk chunk) {
        if (output.hasGradient()) {
            multiplyVectors(output.gradient(), mask, chunk.samples() * output.stride());
        }
    }

    private static void multiplyVectors(float[] values, float[] factors, int to) {
        for (int i = 0; i < to; i += LENGTH) {
            FloatVector x = FloatVector.fromArray(SPECIES, values, i);
            x.mul(FloatVector.fromArray(SPECIES, factors, i)).intoArray(values, i);
        }
    }
}
