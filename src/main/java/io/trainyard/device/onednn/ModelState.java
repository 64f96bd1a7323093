package io.trainyard.device.onednn;

import io.trainyard.device.EvenPart;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What lives from step to step, shared by all programs of a session. The first program that uses a parameter
/// chooses its layout; the others copy it where they want another.
final class ModelState {
    private final Engine engine;
    private final List<ParameterSpec> specs;
    private final OptimizerSpec optimizer;
    private final Map<String, Slot> slots = new LinkedHashMap<>();
    private final Map<String, long[]> counters = new LinkedHashMap<>();
    private long steps; // the optimizer's

    private final @Nullable ModelState parameters; // whose parameters these are; null for its own
    private final @Nullable ModelState layouts; // where they already have layouts, which these take; null: nowhere

    /// @param layouts another device's, whose layouts these take; null to let the first program choose
    ModelState(Engine engine, List<ParameterSpec> specs, OptimizerSpec optimizer, @Nullable ModelState layouts) {
        this(engine, specs, optimizer, null, layouts);
    }

    private ModelState(
            Engine engine,
            List<ParameterSpec> specs,
            OptimizerSpec optimizer,
            @Nullable ModelState parameters,
            @Nullable ModelState layouts) {
        this.engine = engine;
        this.specs = specs;
        this.optimizer = optimizer;
        this.parameters = parameters;
        this.layouts = layouts;
        specs.stream()
                .filter(spec -> spec.init() instanceof Init.Counter)
                .forEach(spec -> counters.put(spec.name(), new long[1]));
    }

    /// The same parameters, with gradients of their own, for another thread's programs.
    ModelState withGradientsOf(Engine other) {
        return new ModelState(other, specs, optimizer, this, this);
    }

    /// The parameter's layout; null while no program has chosen one.
    @Nullable
    Layout placed(ParameterSpec spec) {
        if (layouts != null) {
            return layouts.placed(spec);
        }
        Slot slot = slots.get(spec.name());
        return slot == null ? null : slot.value().layout();
    }

    /// The parameter's memory; made in the `wanted` layout when it has none yet.
    Slot place(ParameterSpec spec, Layout wanted) {
        return slots.computeIfAbsent(spec.name(), name -> {
            Layout placed = placed(spec);
            Layout layout = placed == null ? wanted : placed;
            Memory value = parameters == null
                    ? engine.memory(layout)
                    : parameters.place(spec, layout).value();
            Memory gradient = spec.trained() ? engine.memory(value.layout()) : null;
            List<Memory> state = parameters == null
                    ? optimizer.slotsOf(spec).stream()
                            .map(slot -> engine.memory(layout))
                            .toList()
                    : List.of();
            return new Slot(spec, value, gradient, state);
        });
    }

    /// One dimension has one layout.
    Slot placeVector(ParameterSpec spec) {
        return place(spec, engine.plain(spec.shape().elements()));
    }

    /// Holds one number.
    long[] counter(ParameterSpec spec) {
        return counters.getOrDefault(spec.name(), new long[1]);
    }

    /// Counts one more step of the optimizer.
    ///
    /// @return its number: 1 for the first
    long countStep() {
        return ++steps;
    }

    /// Copies the values of a part of the trained parameters, as they lie in memory.
    void copyValues(ModelState other, EvenPart range) {
        copy(other, range, slot -> List.of(slot.value()));
    }

    /// Copies what the optimizer keeps of a part of the trained parameters.
    void copyState(ModelState other, EvenPart range) {
        copy(other, range, Slot::state);
    }

    private void copy(ModelState other, EvenPart range, Function<Slot, List<Memory>> memories) {
        List<Slot> from = other.trained();
        List<Slot> to = trained();
        for (int i = 0; i < to.size(); i++) {
            List<Memory> targets = memories.apply(to.get(i));
            for (int m = 0; m < targets.size(); m++) {
                Memory source = memories.apply(from.get(i)).get(m);
                targets.get(m).piece(range).copyFrom(source.piece(range));
            }
        }
    }

    List<Slot> trained() {
        return slots.values().stream().filter(slot -> slot.spec().trained()).toList();
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
        try (Engine scratch = engine.nested()) {
            for (Slot slot : slots.values()) {
                write(scratch, model.floats(slot.spec().name(), slot.spec().shape()), slot.value());
                if (fresh) {
                    slot.state().forEach(memory -> memory.data().fill((byte) 0));
                } else {
                    writeState(scratch, slot, kept);
                }
            }
        }
        specs.stream()
                .filter(spec -> counters.containsKey(spec.name()))
                .forEach(spec -> counter(spec)[0] = model.longs(spec.name(), spec.shape())[0]);
        steps = fresh || !optimizer.countsSteps() ? 0 : kept.longs(OptimizerSpec.STEP, Shape.of())[0];
    }

    private void writeState(Engine scratch, Slot slot, Parameters kept) {
        List<ParameterSpec> entries = optimizer.slotsOf(slot.spec());
        for (int i = 0; i < entries.size(); i++) {
            ParameterSpec entry = entries.get(i);
            write(
                    scratch,
                    kept.floats(entry.name(), entry.shape()),
                    slot.state().get(i));
        }
    }

    SessionState save() {
        Map<String, Tensor> model = new LinkedHashMap<>();
        Map<String, Tensor> kept = new LinkedHashMap<>();
        try (Engine scratch = engine.nested()) {
            for (ParameterSpec spec : specs) {
                Slot slot = slots.get(spec.name());
                if (slot == null) {
                    model.put(
                            spec.name(),
                            new Tensor.Longs(spec.shape(), counter(spec).clone()));
                    continue;
                }
                model.put(spec.name(), new Tensor.Floats(spec.shape(), read(scratch, slot.value())));
                List<ParameterSpec> entries = optimizer.slotsOf(spec);
                for (int i = 0; i < entries.size(); i++) {
                    float[] values = read(scratch, slot.state().get(i));
                    kept.put(entries.get(i).name(), new Tensor.Floats(spec.shape(), values));
                }
            }
        }
        if (optimizer.countsSteps()) {
            kept.put(OptimizerSpec.STEP, new Tensor.Longs(Shape.of(), new long[] {steps}));
        }
        return new SessionState(new Parameters(model), new Parameters(kept));
    }

    private static void write(Engine scratch, float[] values, Memory to) {
        Memory plain = scratch.memory(scratch.plain(to.layout().sizes()));
        plain.write(values);
        scratch.reorder(plain, to).run();
    }

    private static float[] read(Engine scratch, Memory from) {
        Memory plain = scratch.memory(scratch.plain(from.layout().sizes()));
        scratch.reorder(from, plain).run();
        float[] values = new float[Math.toIntExact(plain.layout().elements())];
        plain.read(values);
        return values;
    }
}
