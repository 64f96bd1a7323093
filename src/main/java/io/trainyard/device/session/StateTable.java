package io.trainyard.device.session;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.session.StateMemory.Place;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Shape;
import io.trainyard.spec.UpdateSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// All named state that carries over between steps: parameters, buffers and optimizer state in a backend's memory,
/// and step counters on the host.
public final class StateTable {
    private final List<ParameterSpec> specs;
    private final UpdateSpec update;
    private final StateMemory memory;
    private final Map<String, long[]> counters = new LinkedHashMap<>(); // one number each
    private long steps; // of the optimizer

    public StateTable(List<ParameterSpec> specs, UpdateSpec update, StateMemory memory) {
        this.specs = specs;
        this.update = update;
        this.memory = memory;
        specs.stream().filter(StateTable::counts).forEach(spec -> counters.put(spec.name(), new long[1]));
    }

    private static boolean counts(ParameterSpec spec) {
        return spec.init() instanceof Init.Counter;
    }

    public long steps() {
        return steps;
    }

    /// Counts a batch, and a step of the optimizer if it takes one.
    ///
    /// @return the optimizer's step, from 1
    long countStep(boolean updates) {
        specs.stream().filter(spec -> counts(spec) && !spec.frozen()).forEach(spec -> counter(spec)[0]++);
        steps += updates ? 1 : 0;
        return steps;
    }

    /// Whether there are averages of the parameters, which are tested and saved instead of them.
    boolean averages() {
        return update.averaged() >= 0;
    }

    void swapAverages() {
        for (ParameterSpec spec : specs) {
            if (spec.trained()) {
                Place value = new Place.Value(spec);
                Place average = new Place.Slot(spec, update.averaged());
                float[] trained = memory.read(value);
                memory.write(value, memory.read(average));
                memory.write(average, trained);
            }
        }
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState state) {
        Parameters model = state.model();
        Parameters kept = state.optimizer();
        boolean fresh = kept.tensors().isEmpty();
        model.requireMatch(specs);
        if (!fresh) {
            kept.requireMatch(update.state(specs));
        }
        for (ParameterSpec spec : specs) {
            if (counts(spec)) {
                long count = model.longs(spec.name(), spec.shape())[0];
                counter(spec)[0] = count;
                memory.write(new Place.Value(spec), new float[] {count});
            } else {
                memory.write(new Place.Value(spec), model.floats(spec.name(), spec.shape()));
            }
            List<ParameterSpec> slots = update.slotsOf(spec);
            for (int i = 0; i < slots.size(); i++) {
                ParameterSpec slot = slots.get(i);
                float[] values = fresh ? fresh(i, spec, model) : kept.floats(slot.name(), slot.shape());
                memory.write(new Place.Slot(spec, i), values);
            }
        }
        if (averages()) {
            swapAverages(); // the saved model is the average
        }
        steps = fresh || !update.countsSteps() ? 0 : kept.longs(UpdateSpec.STEP, Shape.of())[0];
    }

    /// The initial value of a slot: the parameter for an average, zeros for others.
    private float[] fresh(int slot, ParameterSpec spec, Parameters model) {
        return slot == update.averaged()
                ? model.floats(spec.name(), spec.shape())
                : new float[spec.shape().elements()];
    }

    /// Does not change the session: parameters and averages are swapped only in the result.
    SessionState save() {
        Map<String, Tensor> model = new LinkedHashMap<>();
        Map<String, Tensor> kept = new LinkedHashMap<>();
        for (ParameterSpec spec : specs) {
            model.put(
                    spec.name(),
                    counts(spec)
                            ? new Tensor.Longs(spec.shape(), counter(spec).clone())
                            : new Tensor.Floats(spec.shape(), memory.read(saved(new Place.Value(spec)))));
            List<ParameterSpec> slots = update.slotsOf(spec);
            for (int i = 0; i < slots.size(); i++) {
                float[] values = memory.read(saved(new Place.Slot(spec, i)));
                kept.put(slots.get(i).name(), new Tensor.Floats(spec.shape(), values));
            }
        }
        if (update.countsSteps()) {
            kept.put(UpdateSpec.STEP, new Tensor.Longs(Shape.of(), new long[] {steps}));
        }
        return new SessionState(new Parameters(model), new Parameters(kept));
    }

    /// The place to save under the name of another one.
    private Place saved(Place place) {
        ParameterSpec spec = place.parameter();
        if (!averages() || !spec.trained()) {
            return place;
        }
        return switch (place) {
            case Place.Value _ -> new Place.Slot(spec, update.averaged());
            case Place.Slot(ParameterSpec _, int number) -> number == update.averaged() ? new Place.Value(spec) : place;
        };
    }

    private long[] counter(ParameterSpec spec) {
        return Objects.requireNonNull(counters.get(spec.name()));
    }
}
