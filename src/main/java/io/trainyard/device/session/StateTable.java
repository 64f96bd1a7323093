package io.trainyard.device.session;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.session.StateMemory.Place;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// All that lives from step to step, under its names: parameters and buffers, and what the optimizer keeps of every
/// parameter, in a backend's memory; what counts steps is here, on the host.
public final class StateTable {
    private final List<ParameterSpec> specs;
    private final OptimizerSpec optimizer;
    private final StateMemory memory;
    private final Map<String, long[]> counters = new LinkedHashMap<>(); // each holds one number
    private long steps; // the optimizer's

    /// @param specs the network's parameters and buffers
    public StateTable(List<ParameterSpec> specs, OptimizerSpec optimizer, StateMemory memory) {
        this.specs = specs;
        this.optimizer = optimizer;
        this.memory = memory;
        specs.stream().filter(StateTable::counts).forEach(spec -> counters.put(spec.name(), new long[1]));
    }

    private static boolean counts(ParameterSpec spec) {
        return spec.init() instanceof Init.Counter;
    }

    /// How many steps the optimizer has made.
    public long steps() {
        return steps;
    }

    /// Counts one more step of the optimizer, and one more batch that the network has seen.
    ///
    /// @return its number: 1 for the first
    long countStep() {
        counters.values().forEach(counter -> counter[0]++);
        return ++steps;
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState state) {
        Parameters model = state.model();
        Parameters kept = state.optimizer();
        boolean fresh = kept.tensors().isEmpty();
        model.requireMatch(specs);
        if (!fresh) {
            kept.requireMatch(optimizer.state(specs));
        }
        for (ParameterSpec spec : specs) {
            if (counts(spec)) {
                counter(spec)[0] = model.longs(spec.name(), spec.shape())[0];
            } else {
                memory.write(new Place.Value(spec), model.floats(spec.name(), spec.shape()));
            }
            List<ParameterSpec> slots = optimizer.slotsOf(spec);
            for (int i = 0; i < slots.size(); i++) {
                ParameterSpec slot = slots.get(i);
                float[] values = fresh ? new float[slot.shape().elements()] : kept.floats(slot.name(), slot.shape());
                memory.write(new Place.Slot(spec, i), values);
            }
        }
        steps = fresh || !optimizer.countsSteps() ? 0 : kept.longs(OptimizerSpec.STEP, Shape.of())[0];
    }

    SessionState save() {
        Map<String, Tensor> model = new LinkedHashMap<>();
        Map<String, Tensor> kept = new LinkedHashMap<>();
        for (ParameterSpec spec : specs) {
            model.put(
                    spec.name(),
                    counts(spec)
                            ? new Tensor.Longs(spec.shape(), counter(spec).clone())
                            : new Tensor.Floats(spec.shape(), memory.read(new Place.Value(spec))));
            List<ParameterSpec> slots = optimizer.slotsOf(spec);
            for (int i = 0; i < slots.size(); i++) {
                float[] values = memory.read(new Place.Slot(spec, i));
                kept.put(slots.get(i).name(), new Tensor.Floats(spec.shape(), values));
            }
        }
        if (optimizer.countsSteps()) {
            kept.put(OptimizerSpec.STEP, new Tensor.Longs(Shape.of(), new long[] {steps}));
        }
        return new SessionState(new Parameters(model), new Parameters(kept));
    }

    private long[] counter(ParameterSpec spec) {
        return Objects.requireNonNull(counters.get(spec.name()));
    }
}
