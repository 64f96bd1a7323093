package io.trainyard.device.cuda;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.LayerParameters;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jcuda.Pointer;

/// What lives from step to step: all parameters in one run of float32, their gradients and each of the optimizer's
/// slots in runs of the same form, so that one kernel updates them all and one copy sends them; then the buffers.
final class CudaModel implements LayerParameters {
    /// Floats: where a parameter begins is a multiple of it. What is between two parameters is zero and stays so.
    private static final long ALIGNMENT = 64;

    private final List<ParameterSpec> specs;
    private final OptimizerSpec optimizer;
    private final Map<String, Long> places = new LinkedHashMap<>(); // of the parameters, in floats
    private final Buffer values;
    private final Buffer gradients;
    private final List<Buffer> slots = new ArrayList<>(); // one for each of the optimizer's
    private final Map<String, Buffer> buffers = new LinkedHashMap<>(); // running statistics
    private final Map<String, long[]> counters = new LinkedHashMap<>(); // on the host
    private long steps; // the optimizer's

    CudaModel(List<ParameterSpec> specs, OptimizerSpec optimizer, Arena arena) {
        this.specs = specs;
        this.optimizer = optimizer;
        long floats = 0;
        for (ParameterSpec spec : specs) {
            if (spec.trained()) {
                places.put(spec.name(), floats);
                floats += Math.ceilDiv(spec.shape().elements(), ALIGNMENT) * ALIGNMENT;
            } else if (spec.init() instanceof Init.Counter) {
                counters.put(spec.name(), new long[1]);
            } else {
                buffers.put(spec.name(), arena.reserve(bytes(spec.shape()), "buffer " + spec.name()));
            }
        }
        long run = floats * Float.BYTES;
        values = arena.reserve(run, "the parameters");
        gradients = arena.reserve(run, "the gradients");
        optimizer.slots().forEach(slot -> slots.add(arena.reserve(run, "the optimizer's " + slot)));
    }

    private static long bytes(Shape shape) {
        return (long) shape.elements() * Float.BYTES;
    }

    @Override
    public Buffer value(ParameterSpec spec) {
        return spec.trained() ? slice(values, spec, "parameter ") : Objects.requireNonNull(buffers.get(spec.name()));
    }

    @Override
    public Buffer gradient(ParameterSpec spec) {
        return slice(gradients, spec, "the gradient of ");
    }

    private Buffer slice(Buffer run, ParameterSpec spec, String what) {
        long place = Objects.requireNonNull(places.get(spec.name()));
        return run.slice(place * Float.BYTES, bytes(spec.shape()), what + spec.name());
    }

    /// All parameters, one after the other.
    Buffer values() {
        return values;
    }

    /// In the form of [#values].
    Buffer gradients() {
        return gradients;
    }

    /// One for each of [OptimizerSpec#slots], in the form of [#values].
    List<Buffer> slots() {
        return slots;
    }

    /// Batch norm's counters are on the host: a step counts them all.
    void countSteps(int more) {
        steps += more;
        counters.values().forEach(counter -> counter[0] += more);
    }

    /// How many steps the optimizer has made.
    long steps() {
        return steps;
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState state) {
        boolean fresh = state.optimizer().tensors().isEmpty();
        List<ParameterSpec> optimizerSpecs = optimizer.state(specs);
        state.model().requireMatch(specs);
        if (!fresh) {
            state.optimizer().requireMatch(optimizerSpecs);
        }
        for (ParameterSpec spec : specs) {
            if (spec.init() instanceof Init.Counter) {
                counter(spec)[0] = state.model().longs(spec.name(), spec.shape())[0];
            } else {
                value(spec).write(Pointer.to(state.model().floats(spec.name(), spec.shape())));
            }
        }
        for (ParameterSpec spec : specs) {
            List<ParameterSpec> entries = optimizer.slotsOf(spec);
            for (int i = 0; i < entries.size(); i++) {
                ParameterSpec entry = entries.get(i);
                float[] kept = fresh
                        ? new float[entry.shape().elements()]
                        : state.optimizer().floats(entry.name(), entry.shape());
                slice(slots.get(i), spec, "the optimizer's state of ").write(Pointer.to(kept));
            }
        }
        steps = fresh || !optimizer.countsSteps() ? 0 : state.optimizer().longs(OptimizerSpec.STEP, Shape.of())[0];
    }

    SessionState save() {
        Map<String, Tensor> model = new LinkedHashMap<>();
        Map<String, Tensor> kept = new LinkedHashMap<>();
        for (ParameterSpec spec : specs) {
            model.put(
                    spec.name(),
                    spec.init() instanceof Init.Counter
                            ? new Tensor.Longs(spec.shape(), counter(spec).clone())
                            : new Tensor.Floats(spec.shape(), read(value(spec))));
            List<ParameterSpec> entries = optimizer.slotsOf(spec);
            for (int i = 0; i < entries.size(); i++) {
                Buffer slot = slice(slots.get(i), spec, "the optimizer's state of ");
                kept.put(entries.get(i).name(), new Tensor.Floats(spec.shape(), read(slot)));
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

    private static float[] read(Buffer buffer) {
        float[] floats = new float[(int) (buffer.bytes() / Float.BYTES)];
        buffer.read(Pointer.to(floats));
        return floats;
    }
}
