package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.ValueType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Collects a program's operations in the order they run. Layers add theirs to it.
///
/// @param training false for evaluation: no masks, running statistics, nothing kept for a backward pass
/// @param masks where dropout takes its masks from when the program runs
/// @param norms the shard's shares in batch norms
/// @param preparations what must run first whenever parameters have changed
/// @param operations those added so far
/// @param shared addresses of what several read, and nobody may write over
record ProgramBuilder(
        Engine engine,
        ModelState state,
        boolean training,
        ShardMasks masks,
        NormShares norms,
        List<Operation> preparations,
        List<Operation> operations,
        Set<Long> shared) {
    /// Channels side by side in copies.
    private static final int COPIED_LANES = 8;

    ProgramBuilder(Engine engine, ModelState state, boolean training, ShardMasks masks, NormShares norms) {
        this(engine, state, training, masks, norms, new ArrayList<>(), new ArrayList<>(), new HashSet<>());
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

    /// Adds two tensors of one shape, in the layout of the first.
    ///
    /// @param layer whose branches they are
    void addSum(String layer, Memory a, Memory b, Memory sum) {
        Layout layout = a.layout();
        PrimitiveDescription addition = engine.describe(
                "add the branches of layer \"%s\"".formatted(layer),
                (handle, cpu) -> dnnl_binary_primitive_desc_create(
                        handle, cpu, dnnl_binary_add, layout.handle(), layout.handle(), layout.handle(), null));
        add(
                addition,
                new Argument(DNNL_ARG_SRC_0, a),
                new Argument(DNNL_ARG_SRC_1, in(layout, b)),
                new Argument(DNNL_ARG_DST, sum));
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

    /// `memory` itself if it is of that type, otherwise a copy as [#in] makes it.
    Memory as(ValueType type, Memory memory) {
        return memory.layout().type() == type ? memory : in(engine.like(memory.layout(), type), memory);
    }

    /// Images with channels side by side, as kernels over vectors of channels want them; copied as [#in]
    /// does where
    /// they lie otherwise.
    Memory inLanes(Memory images) {
        long[] sizes = images.layout().sizes();
        ValueType type = images.layout().type();
        boolean fits = images.layout()
                .image()
                .filter(ImageLayout::inVectors)
                .map(layout -> engine.blocked(type, layout.lanes(), sizes).same(images.layout()))
                .orElse(false);
        return fits ? images : in(engine.blocked(type, COPIED_LANES, sizes), images);
    }

    /// As [#inLanes], in blocks of 8 or 16 channels, of float32.
    Memory inBlocks(Memory images) {
        Memory floats = as(ValueType.FLOAT32, images);
        long[] sizes = floats.layout().sizes();
        boolean wide = floats.layout().same(engine.blocked(2 * COPIED_LANES, sizes));
        return wide ? floats : in(engine.blocked(COPIED_LANES, sizes), floats);
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

    /// As [#parameterIn], of float32 with no more digits than values of `type` have.
    Memory roundedIn(Layout layout, ValueType type, Slot slot) {
        if (type == ValueType.FLOAT32) {
            return parameterIn(layout, slot);
        }
        Memory rounded = parameterIn(engine.plain(type, slot.value().layout().sizes()), slot);
        Memory copy = engine.memory(layout);
        preparations.add(engine.reorder(rounded, copy));
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
