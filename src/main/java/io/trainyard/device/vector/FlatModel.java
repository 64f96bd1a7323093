package io.trainyard.device.vector;

import io.trainyard.device.EvenPart;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// All parameters one after another in one array, and the optimizer's state in arrays of the same form, so that
/// a step's update is one pass. The rows of a linear layer's weight are padded with zeros to whole tiles; they
/// stay zero, because the input's padding is zero and with it the gradient's.
final class FlatModel {
    /// Where a parameter lies.
    ///
    /// @param rows of `columns` elements, `pitch` apart
    record Entry(ParameterSpec spec, int offset, int rows, int columns, int pitch) {
        void clear(float[] array) {
            Arrays.fill(array, offset, offset + rows * pitch, 0);
        }

        /// Puts row-major values in their places.
        void write(float[] values, float[] array) {
            for (int r = 0; r < rows; r++) {
                System.arraycopy(values, r * columns, array, offset + r * pitch, columns);
            }
        }

        Tensor read(float[] array) {
            float[] values = new float[rows * columns];
            for (int r = 0; r < rows; r++) {
                System.arraycopy(array, offset + r * pitch, values, r * columns, columns);
            }
            return new Tensor.Floats(spec.shape(), values);
        }
    }

    private final OptimizerSpec optimizer;
    private final List<ParameterSpec> specs;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final float[] values;
    private final List<float[]> state = new ArrayList<>(); // one for each of the optimizer's slots
    private long steps; // the optimizer's

    FlatModel(Network network, OptimizerSpec optimizer) {
        this.optimizer = optimizer;
        this.specs = network.parameters();
        int end = 0;
        for (Network.Layer layer : network.layers()) {
            for (ParameterSpec spec : layer.parameters()) {
                Entry entry = entry(layer.spec(), spec, end);
                entries.put(spec.name(), entry);
                end = Math.addExact(end, Vectors.roundUp(Math.multiplyExact(entry.rows(), entry.pitch())));
            }
        }
        values = new float[end + Vectors.SLACK];
        for (int i = 0; i < optimizer.slots().size(); i++) {
            state.add(new float[values.length]);
        }
    }

    private static Entry entry(LayerSpec layer, ParameterSpec spec, int offset) {
        int elements = spec.shape().elements();
        if (layer instanceof LayerSpec.Linear && spec.shape().rank() == 2) {
            int columns = spec.shape().size(1);
            return new Entry(spec, offset, spec.shape().size(0), columns, Vectors.roundUp(columns));
        }
        return new Entry(spec, offset, 1, elements, elements);
    }

    Entry entry(ParameterSpec spec) {
        Entry entry = entries.get(spec.name());
        if (entry == null) {
            throw new IllegalStateException("parameter %s is not one of the network's".formatted(spec.name()));
        }
        return entry;
    }

    /// The array itself.
    float[] values() {
        return values;
    }

    /// The arrays themselves, as long as [#values].
    List<float[]> state() {
        return state;
    }

    /// Where a part of the parameters begins: parts are whole tiles.
    int begin(EvenPart range) {
        return range.begin(values.length / Vectors.TILE) * Vectors.TILE;
    }

    /// Behind the last of a part's parameters.
    int end(EvenPart range) {
        return range.end(values.length / Vectors.TILE) * Vectors.TILE;
    }

    void copyValues(FlatModel other, EvenPart range) {
        System.arraycopy(other.values, begin(range), values, begin(range), end(range) - begin(range));
    }

    /// What the optimizer keeps.
    void copyState(FlatModel other, EvenPart range) {
        for (int i = 0; i < state.size(); i++) {
            System.arraycopy(other.state.get(i), begin(range), state.get(i), begin(range), end(range) - begin(range));
        }
    }

    /// Counts one more step of the optimizer.
    ///
    /// @return its number: 1 for the first
    long countStep() {
        return ++steps;
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState newState) {
        Parameters model = newState.model();
        Parameters kept = newState.optimizer();
        boolean fresh = kept.tensors().isEmpty();
        model.requireMatch(specs);
        if (!fresh) {
            kept.requireMatch(optimizer.state(specs));
        }
        state.forEach(array -> Arrays.fill(array, 0));
        for (Entry entry : entries.values()) {
            ParameterSpec spec = entry.spec();
            entry.write(model.floats(spec.name(), spec.shape()), values);
            List<ParameterSpec> slots = fresh ? List.of() : optimizer.slotsOf(spec);
            for (int i = 0; i < slots.size(); i++) {
                entry.write(kept.floats(slots.get(i).name(), spec.shape()), state.get(i));
            }
        }
        steps = fresh || !optimizer.countsSteps() ? 0 : kept.longs(OptimizerSpec.STEP, Shape.of())[0];
    }

    SessionState save() {
        Map<String, Tensor> model = new LinkedHashMap<>();
        Map<String, Tensor> kept = new LinkedHashMap<>();
        for (Entry entry : entries.values()) {
            model.put(entry.spec().name(), entry.read(values));
            List<ParameterSpec> slots = optimizer.slotsOf(entry.spec());
            for (int i = 0; i < slots.size(); i++) {
                kept.put(slots.get(i).name(), entry.read(state.get(i)));
            }
        }
        if (optimizer.countsSteps()) {
            kept.put(OptimizerSpec.STEP, new Tensor.Longs(Shape.of(), new long[] {steps}));
        }
        return new SessionState(new Parameters(model), new Parameters(kept));
    }
}
