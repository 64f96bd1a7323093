package io.trainyard.device.onednn;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What lives from step to step, shared by all programs of a session. The first program that uses a parameter chooses
/// its layout; the others copy it where they want another.
final class ModelState {
    private static final String MOMENTUM_BUFFER = ".momentum_buffer";

    private final Engine engine;
    private final List<ParameterSpec> specs;
    private final boolean momentum;
    private final Map<String, Slot> slots = new LinkedHashMap<>();
    private final Map<String, long[]> counters = new LinkedHashMap<>();

    ModelState(Engine engine, List<ParameterSpec> specs, OptimizerSpec optimizer) {
        this.engine = engine;
        this.specs = specs;
        this.momentum = switch (optimizer) {
            case OptimizerSpec.Sgd sgd -> sgd.momentum() != 0;
        };
        specs.stream()
                .filter(spec -> spec.init() instanceof Init.Counter)
                .forEach(spec -> counters.put(spec.name(), new long[1]));
    }

    /// The parameter's layout; null while no program has chosen one.
    @Nullable
    Layout placed(ParameterSpec spec) {
        Slot slot = slots.get(spec.name());
        return slot == null ? null : slot.value().layout();
    }

    /// The parameter's memory; made in `layout` when it has none yet.
    Slot place(ParameterSpec spec, Layout layout) {
        return slots.computeIfAbsent(
                spec.name(),
                name -> new Slot(
                        spec,
                        engine.memory(layout),
                        spec.trained() ? engine.memory(layout) : null,
                        spec.trained() && momentum ? engine.memory(layout) : null));
    }

    /// One dimension has one layout.
    Slot placeVector(ParameterSpec spec) {
        return place(spec, engine.plain(spec.shape().elements()));
    }

    /// Holds one number.
    long[] counter(ParameterSpec spec) {
        return counters.getOrDefault(spec.name(), new long[1]);
    }

    List<Slot> trained() {
        return slots.values().stream().filter(slot -> slot.spec().trained()).toList();
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState state) {
        Parameters model = state.model();
        Parameters optimizer = state.optimizer();
        model.requireMatch(specs);
        boolean fresh = optimizer.tensors().isEmpty();
        if (!fresh) {
            optimizer.requireMatch(momentumSpecs());
        }
        try (Engine scratch = engine.nested()) {
            for (Slot slot : slots.values()) {
                write(scratch, model.floats(slot.spec().name(), slot.spec().shape()), slot.value());
                Memory buffer = slot.momentum();
                if (buffer != null && fresh) {
                    buffer.data().fill((byte) 0);
                } else if (buffer != null) {
                    write(
                            scratch,
                            optimizer.floats(
                                    bufferName(slot.spec()), slot.spec().shape()),
                            buffer);
                }
            }
        }
        specs.stream()
                .filter(spec -> counters.containsKey(spec.name()))
                .forEach(spec -> counter(spec)[0] = model.longs(spec.name(), spec.shape())[0]);
    }

    SessionState save() {
        Map<String, Tensor> model = new LinkedHashMap<>();
        Map<String, Tensor> optimizer = new LinkedHashMap<>();
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
                Memory buffer = slot.momentum();
                if (buffer != null) {
                    optimizer.put(bufferName(spec), new Tensor.Floats(spec.shape(), read(scratch, buffer)));
                }
            }
        }
        return new SessionState(new Parameters(model), new Parameters(optimizer));
    }

    private List<ParameterSpec> momentumSpecs() {
        List<ParameterSpec> buffers = new ArrayList<>();
        for (ParameterSpec spec : specs) {
            if (momentum && spec.trained()) {
                buffers.add(new ParameterSpec(bufferName(spec), spec.shape(), spec.init(), false));
            }
        }
        return buffers;
    }

    private static String bufferName(ParameterSpec spec) {
        return spec.name() + MOMENTUM_BUFFER;
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
