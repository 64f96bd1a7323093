package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_inference;
import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_training;

import io.trainyard.device.onednn.Engine.Argument;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Collects a program's operations in the order they run. Layers add theirs to it.
///
/// @param training false for evaluation: no masks, running statistics, nothing kept for a backward pass
/// @param masks where dropout takes its masks from when the program runs
/// @param preparations what must run first whenever parameters have changed
/// @param operations those added so far
/// @param shared addresses of what several read, and nobody may write over
record ProgramBuilder(
        Engine engine,
        ModelState state,
        boolean training,
        BatchMasks masks,
        List<Operation> preparations,
        List<Operation> operations,
        Set<Long> shared) {
    ProgramBuilder(Engine engine, ModelState state, boolean training, BatchMasks masks) {
        this(engine, state, training, masks, new ArrayList<>(), new ArrayList<>(), new HashSet<>());
    }

    /// oneDNN's `dnnl_prop_kind_t` of the forward pass.
    int propagation() {
        return training ? dnnl_forward_training : dnnl_forward_inference;
    }

    void add(Operation operation) {
        operations.add(operation);
    }

    void add(PrimitiveDescription description, Argument... arguments) {
        operations.add(engine.operation(description, List.of(arguments)));
    }

    void add(PrimitiveDescription description, List<Argument> arguments) {
        operations.add(engine.operation(description, arguments));
    }

    /// `memory` itself if it lies in `layout`, otherwise a copy that this program makes each time it comes here.
    Memory in(Layout layout, Memory memory) {
        if (memory.layout().same(layout)) {
            return memory;
        }
        Memory copy = engine.memory(layout);
        operations.add(engine.reorder(memory, copy));
        return copy;
    }

    /// From now on others read `memory`, too: [#over] spares it.
    void share(Memory memory) {
        shared.add(memory.data().address());
    }

    /// Where to put what is made of `memory` value by value, by the last that needs it: over it, or into a new
    /// memory if it is shared.
    Memory over(Memory memory) {
        return shared.contains(memory.data().address()) ? engine.memory(memory.layout()) : memory;
    }

    /// As [#in], for a parameter: where another program chose its layout, copied once for all runs until it changes.
    Memory parameterIn(Layout layout, Slot slot) {
        Memory value = slot.value();
        if (value.layout().same(layout)) {
            return value;
        }
        Memory copy = engine.memory(layout);
        preparations.add(engine.reorder(value, copy));
        return copy;
    }

    /// A memory in which a primitive leaves what belongs into `target`: that itself if it lies in `layout`.
    /// Follow the primitive with [#deliver].
    Memory outputFor(Memory target, Layout layout) {
        return target.layout().same(layout) ? target : engine.memory(layout);
    }

    @SuppressWarnings("ReferenceEquality") // the same memory, not one like it
    void deliver(Memory output, Memory target) {
        if (output != target) {
            operations.add(engine.reorder(output, target));
        }
    }
}
