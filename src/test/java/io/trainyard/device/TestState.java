package io.trainyard.device;

import io.trainyard.spec.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class TestState {
    private TestState() {}

    static SessionState with(SessionState state, String name, Tensor tensor) {
        Map<String, Tensor> tensors = new LinkedHashMap<>(state.model().tensors());
        tensors.put(name, tensor);
        return new SessionState(new Parameters(tensors), state.optimizer());
    }

    static SessionState without(SessionState state, String name) {
        Map<String, Tensor> tensors = new LinkedHashMap<>(state.model().tensors());
        tensors.remove(name);
        return new SessionState(new Parameters(tensors), state.optimizer());
    }

    static SessionState state(Map<String, Tensor> model) {
        return new SessionState(new Parameters(model), Parameters.NONE);
    }

    static Tensor tensor(Shape shape, float... values) {
        return new Tensor.Floats(shape, values);
    }

    static float[] values(Map<String, Tensor> tensors, String name) {
        return tensors.get(name) instanceof Tensor.Floats floats ? floats.values() : new float[0];
    }

    static float[] toFloats(List<Float> values) {
        float[] floats = new float[values.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = values.get(i);
        }
        return floats;
    }
}
