package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.LayerParameters;
import io.trainyard.device.session.StateMemory;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;
import io.trainyard.spec.UpdateSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jcuda.Pointer;

/// The tensors that carry over between steps: all parameters in one contiguous run of float32, their gradients and
/// each optimizer slot in runs of the same layout, so that one kernel updates them all and one copy sends them;
/// then frozen parameters and buffers. The parameters of a group of the optimizer are consecutive.
final class CudaModel implements LayerParameters, StateMemory {
    /// Parameters begin at multiples of this number of floats. The gaps are always zero.
    private static final long ALIGNMENT = 64;

    private final Map<String, Long> places = new LinkedHashMap<>(); // offsets of the parameters, in floats
    private final List<Long> groupEnds = new ArrayList<>(); // in floats, of the optimizer's groups
    private final Buffer values;
    private final Buffer gradients;
    private final List<Buffer> slots = new ArrayList<>(); // one for each of the update's
    private final Map<String, Buffer> buffers = new LinkedHashMap<>(); // running statistics and their counters

    CudaModel(List<ParameterSpec> specs, UpdateSpec update, Arena arena) {
        long floats = 0;
        for (int group = 0; group < update.optimizer().groupCount(); group++) {
            for (ParameterSpec spec : specs) {
                if (spec.trained() && spec.group() == group) {
                    places.put(spec.name(), floats);
                    floats += Math.ceilDiv(spec.shape().elements(), ALIGNMENT) * ALIGNMENT;
                }
            }
            groupEnds.add(floats);
        }
        for (ParameterSpec spec : specs) {
            if (!spec.trained()) {
                buffers.put(spec.name(), arena.reserve(bytes(spec.shape()), "buffer " + spec.name()));
            }
        }
        long run = floats * Float.BYTES;
        values = arena.reserve(run, "the parameters");
        gradients = arena.reserve(run, "the gradients");
        update.slots().forEach(slot -> slots.add(arena.reserve(run, "the optimizer's " + slot)));
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

    /// The offset of a trained parameter in each run, in floats.
    int place(ParameterSpec spec) {
        return Math.toIntExact(Objects.requireNonNull(places.get(spec.name())));
    }

    private Buffer slice(Buffer run, ParameterSpec spec, String what) {
        return run.slice((long) place(spec) * Float.BYTES, bytes(spec.shape()), what + spec.name());
    }

    Buffer values() {
        return values;
    }

    /// In the layout of [#values].
    Buffer gradients() {
        return gradients;
    }

    /// The end of the parameters of one of the optimizer's groups in each run, in floats.
    long groupEnd(int group) {
        return groupEnds.get(group);
    }

    List<Buffer> slots() {
        return slots;
    }

    private Buffer buffer(Place place) {
        return switch (place) {
            case Place.Value(ParameterSpec spec) -> value(spec);
            case Place.Slot(ParameterSpec spec, int number) ->
                slice(slots.get(number), spec, "the optimizer's state of ");
        };
    }

    @Override
    public float[] read(Place place) {
        float[] floats = new float[place.parameter().shape().elements()];
        buffer(place).read(Pointer.to(floats));
        return floats;
    }

    @Override
    public void write(Place place, float[] floats) {
        buffer(place).write(Pointer.to(floats));
    }
}
