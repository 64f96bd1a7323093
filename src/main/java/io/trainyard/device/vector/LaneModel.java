package io.trainyard.device.vector;

import io.trainyard.device.vector.LaneLayer.Chunk;
import java.util.ArrayList;
import java.util.List;

/// The parameters of several models, each number in the place that [FlatModel] has for it, and what their optimizers
/// keep.
final class LaneModel {
    private final float[] values;
    private final List<float[]> state = new ArrayList<>();
    private final float[] gradients; // of the chunks of a batch so far
    private final LaneUpdate update;
    private final boolean waits; // for all gradients, before the update

    /// @param example whose form all have
    /// @param waits whether a step is taken by [#step], when all gradients are there
    LaneModel(FlatModel example, LaneUpdate update, boolean waits) {
        this.update = update;
        this.waits = waits;
        values = new float[Math.multiplyExact(example.values().length, Lanes.COUNT)];
        gradients = new float[values.length];
        for (float[] _ : example.state()) {
            state.add(new float[values.length]);
        }
    }

    float[] values() {
        return values;
    }

    /// Copies a model here.
    void put(FlatModel model, int lane) {
        Lanes.put(model.values(), values, 0, lane);
        for (int slot = 0; slot < state.size(); slot++) {
            Lanes.put(model.state().get(slot), state.get(slot), 0, lane);
        }
    }

    /// Copies a model from here.
    void take(FlatModel model, int lane) {
        Lanes.take(model.values(), values, 0, lane);
        for (int slot = 0; slot < state.size(); slot++) {
            Lanes.take(model.state().get(slot), state.get(slot), 0, lane);
        }
    }

    /// The gradients of the chunks so far.
    ///
    /// @param at where the first is among all parameters
    void takeGradient(float[] target, int at, int count) {
        System.arraycopy(gradients, at * Lanes.COUNT, target, 0, count * Lanes.COUNT);
    }

    /// Has a loop take the step.
    void step(LaneLoop loop, LaneLoop.Clipping clipping) {
        loop.step(update, values, gradients, state, clipping);
    }

    /// Takes the optimizer's step for some parameters if the chunk is the last, else keeps their gradients, in either
    /// case with those of the chunks before.
    ///
    /// @param gradient of the chunk
    void follow(Chunk chunk, float[] gradient, int at, int count) {
        if (chunk.isFirst()) {
            followWhole(chunk, gradient, at, count);
            return;
        }
        LaneSums.addVectors(gradients, at * Lanes.COUNT, gradient, 0, count * Lanes.COUNT);
        if (chunk.isLast() && !waits) {
            update.apply(values, gradients, at * Lanes.COUNT, state, at * Lanes.COUNT, count * Lanes.COUNT);
        }
    }

    /// As [#follow], of gradients that have those of the chunks before in them.
    void followWhole(Chunk chunk, float[] gradient, int at, int count) {
        if (chunk.isLast() && !waits) {
            update.apply(values, gradient, 0, state, at * Lanes.COUNT, count * Lanes.COUNT);
        } else {
            System.arraycopy(gradient, 0, gradients, at * Lanes.COUNT, count * Lanes.COUNT);
        }
    }
}
