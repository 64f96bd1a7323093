package io.trainyard.device.onednn;

import io.trainyard.device.ShardRange;
import io.trainyard.device.session.StateMemory;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.UpdateSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The tensors that carry over between steps, shared by all programs of a session. The first program that uses a
/// parameter chooses its layout; the others copy it if they need another one.
final class ModelState implements StateMemory {
    private final Engine engine;
    private final UpdateSpec update;
    private final Map<String, ParameterMemory> byName = new LinkedHashMap<>();

    private final @Nullable ModelState parameters; // the owner of the parameters; null if this owns them
    private final @Nullable ModelState layouts; // the source of parameter layouts; null to choose new ones

    /// @param layouts another device's state with the layouts to use; null to let the first program choose
    ModelState(Engine engine, UpdateSpec update, @Nullable ModelState layouts) {
        this(engine, update, null, layouts);
    }

    private ModelState(
            Engine engine, UpdateSpec update, @Nullable ModelState parameters, @Nullable ModelState layouts) {
        this.engine = engine;
        this.update = update;
        this.parameters = parameters;
        this.layouts = layouts;
    }

    /// The same parameters with separate gradients, for another thread's programs.
    ModelState withGradientsOf(Engine other) {
        return new ModelState(other, update, this, this);
    }

    /// The parameter's layout; null if no program has chosen one.
    @Nullable
    Layout placed(ParameterSpec spec) {
        if (layouts != null) {
            return layouts.placed(spec);
        }
        ParameterMemory parameter = byName.get(spec.name());
        return parameter == null ? null : parameter.value().layout();
    }

    /// The parameter's memory; created in the `wanted` layout if it does not exist.
    ParameterMemory place(ParameterSpec spec, Layout wanted) {
        return byName.computeIfAbsent(spec.name(), name -> {
            Layout placed = placed(spec);
            Layout layout = placed == null ? wanted : placed;
            Memory value = parameters == null
                    ? engine.memory(layout)
                    : parameters.place(spec, layout).value();
            Memory gradient = spec.trained() ? engine.memory(value.layout()) : null;
            List<Memory> state = parameters == null
                    ? update.slotsOf(spec).stream()
                            .map(slot -> engine.memory(layout))
                            .toList()
                    : List.of();
            return new ParameterMemory(spec, value, gradient, state);
        });
    }

    /// One-dimensional tensors have only one layout.
    ParameterMemory placeVector(ParameterSpec spec) {
        return place(spec, engine.plain(spec.shape().elements()));
    }

    /// Copies the values of a part of the trained parameters, in memory order.
    void copyValues(ModelState other, ShardRange range) {
        copy(other, range, parameter -> List.of(parameter.value()));
    }

    /// Copies the optimizer state of a part of the trained parameters.
    void copyState(ModelState other, ShardRange range) {
        copy(other, range, ParameterMemory::state);
    }

    private void copy(ModelState other, ShardRange range, Function<ParameterMemory, List<Memory>> memories) {
        List<ParameterMemory> from = other.trained();
        List<ParameterMemory> to = trained();
        for (int i = 0; i < to.size(); i++) {
            List<Memory> targets = memories.apply(to.get(i));
            for (int m = 0; m < targets.size(); m++) {
                Memory source = memories.apply(from.get(i)).get(m);
                targets.get(m).piece(range).copyFrom(source.piece(range));
            }
        }
    }

    List<ParameterMemory> trained() {
        return byName.values().stream()
                .filter(parameter -> parameter.spec().trained())
                .toList();
    }

    private Memory memory(Place place) {
        ParameterMemory parameter =
                Objects.requireNonNull(byName.get(place.parameter().name()));
        return switch (place) {
            case Place.Value _ -> parameter.value();
            case Place.Slot(ParameterSpec _, int number) -> parameter.state().get(number);
        };
    }

    @Override
    public void write(Place place, float[] values) {
        try (Engine scratch = engine.nested()) {
            Memory to = memory(place);
            Memory plain = scratch.memory(scratch.plain(to.layout().sizes()));
            plain.write(values);
            scratch.reorder(plain, to).run();
        }
    }

    @Override
    public float[] read(Place place) {
        try (Engine scratch = engine.nested()) {
            Memory from = memory(place);
            Memory plain = scratch.memory(scratch.plain(from.layout().sizes()));
            scratch.reorder(from, plain).run();
            float[] values = new float[Math.toIntExact(plain.layout().elements())];
            plain.read(values);
            return values;
        }
    }
}
