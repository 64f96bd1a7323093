package io.trainyard.device.vector;

import io.trainyard.device.ShardRange;
import io.trainyard.device.session.StateMemory;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.UpdateSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// All parameters in one contiguous array, and the optimizer's state in arrays of the same layout, so that a step's
/// update is one pass. The parameters of a group of the optimizer are consecutive; frozen parameters come last. The
/// rows of a linear layer's weight are padded with zeros to whole tiles; they stay zero,
/// because the input's padding and so the gradient's are zero.
final class FlatModel implements StateMemory {
    /// The position of a parameter.
    ///
    /// @param rows of `columns` elements, `pitch` apart
    record Entry(ParameterSpec spec, int offset, int rows, int columns, int pitch) {
        void clear(float[] array) {
            Arrays.fill(array, offset, offset + rows * pitch, 0);
        }

        /// Writes row-major values, and zeros between the rows, because an infinite gradient leaves NaN there.
        void write(float[] values, float[] array) {
            clear(array);
            for (int r = 0; r < rows; r++) {
                System.arraycopy(values, r * columns, array, offset + r * pitch, columns);
            }
        }

        float[] read(float[] array) {
            float[] values = new float[rows * columns];
            for (int r = 0; r < rows; r++) {
                System.arraycopy(array, offset + r * pitch, values, r * columns, columns);
            }
            return values;
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final int[] groupEnds; // of the optimizer's groups
    private final int trained; // length of the part with the trained parameters
    private final float[] values;
    private final List<float[]> state = new ArrayList<>(); // one for each of the update's slots

    FlatModel(Network network, UpdateSpec update) {
        int groups = update.optimizer().groupCount();
        groupEnds = new int[groups];
        for (int i = 0; i < groups; i++) {
            int group = i;
            groupEnds[i] =
                    place(network, spec -> !spec.frozen() && spec.group() == group, i == 0 ? 0 : groupEnds[i - 1]);
        }
        trained = groupEnds[groups - 1] + Vectors.SLACK;
        groupEnds[groups - 1] = trained;
        values = new float[place(network, ParameterSpec::frozen, trained) + Vectors.SLACK];
        for (int i = 0; i < update.slots().size(); i++) {
            state.add(new float[trained]);
        }
    }

    private int place(Network network, Predicate<ParameterSpec> which, int begin) {
        int end = begin;
        for (Network.Layer layer : network.layers()) {
            for (ParameterSpec spec : layer.parameters()) {
                if (which.test(spec)) {
                    Entry entry = entry(layer.spec(), spec, end);
                    entries.put(spec.name(), entry);
                    end = Math.addExact(end, Vectors.roundUp(Math.multiplyExact(entry.rows(), entry.pitch())));
                }
            }
        }
        return end;
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

    float[] values() {
        return values;
    }

    /// The length of the part with the trained parameters, and of arrays for their gradients.
    int trained() {
        return trained;
    }

    /// The end of the parameters of one of the optimizer's groups.
    int groupEnd(int group) {
        return groupEnds[group];
    }

    /// The arrays themselves, as long as [#trained].
    List<float[]> state() {
        return state;
    }

    int begin(ShardRange range) {
        return range.begin(trained / Vectors.TILE) * Vectors.TILE;
    }

    int end(ShardRange range) {
        return range.end(trained / Vectors.TILE) * Vectors.TILE;
    }

    void copyValues(FlatModel other, ShardRange range) {
        System.arraycopy(other.values, begin(range), values, begin(range), end(range) - begin(range));
    }

    void copyState(FlatModel other, ShardRange range) {
        for (int i = 0; i < state.size(); i++) {
            System.arraycopy(other.state.get(i), begin(range), state.get(i), begin(range), end(range) - begin(range));
        }
    }

    private float[] array(Place place) {
        return switch (place) {
            case Place.Value _ -> values;
            case Place.Slot(ParameterSpec _, int number) -> state.get(number);
        };
    }

    @Override
    public float[] read(Place place) {
        return entry(place.parameter()).read(array(place));
    }

    @Override
    public void write(Place place, float[] newValues) {
        entry(place.parameter()).write(newValues, array(place));
    }
}
