package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.ValueType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Collects a program's operations in the order in which they run. Layers add their operations to it.
///
/// @param training false for evaluation: without masks and backward pass, with running statistics
/// @param masks source of the dropout masks at run time
/// @param norms the shard's views of the batch norms
/// @param preparations operations that must run first whenever parameters have changed
/// @param operations those added so far
/// @param shared addresses of memories with several readers, which must not be overwritten
record ProgramBuilder(
        Engine engine,
        ModelState state,
        boolean training,
        ShardMasks masks,
        ShardBatchNorms norms,
        List<Operation> preparations,
        List<Operation> operations,
        Set<Long> shared) {
    /// Block size of channels in copies.
    private static final int COPIED_LANES = 8;

    ProgramBuilder(Engine engine, ModelState state, boolean training, ShardMasks masks, ShardBatchNorms norms) {
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
    /// @param layer with the branches, for the error message
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

    /// Returns `memory` if it has this layout, otherwise a copy that the program makes each time it runs.
    Memory in(Layout layout, Memory memory) {
        if (memory.layout().same(layout)) {
            return memory;
        }
        Memory copy = engine.memory(layout);
        operations.add(engine.reorder(memory, copy));
        return copy;
    }

    /// Returns `memory` if it has this type, otherwise a copy like [#in].
    Memory as(ValueType type, Memory memory) {
        return memory.layout().type() == type ? memory : in(engine.like(memory.layout(), type), memory);
    }

    /// Images with blocked channels, as kernels over vectors of channels need them; other layouts are copied like
    /// in [#in].
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

    /// Like [#inLanes], in blocks of 8 or 16 channels, in float32.
    Memory inBlocks(Memory images) {
        Memory floats = as(ValueType.FLOAT32, images);
        long[] sizes = floats.layout().sizes();
        boolean wide = floats.layout().same(engine.blocked(2 * COPIED_LANES, sizes));
        return wide ? floats : in(engine.blocked(COPIED_LANES, sizes), floats);
    }

    /// A part of a tensor, only to be copied: its data begins elsewhere within that of the whole.
    Memory part(Memory whole, long[] sizes, long... begin) {
        Memory divided = engine.part(whole.layout(), sizes, begin).isPresent()
                ? whole
                : in(engine.plain(whole.layout().type(), whole.layout().sizes()), whole);
        return engine.view(divided, engine.part(divided.layout(), sizes, begin).orElseThrow());
    }

    /// Protects `memory` from being overwritten by [#over], because it has other readers.
    void share(Memory memory) {
        shared.add(memory.data().address());
    }

    /// The output for an element-wise operation on `memory` by its last reader: in place, or a new memory if it is
    /// shared.
    Memory over(Memory memory) {
        return shared.contains(memory.data().address()) ? engine.memory(memory.layout()) : memory;
    }

    /// Like [#in], for a parameter: if it has another layout, it is copied only after it has changed.
    Memory parameterIn(Layout layout, ParameterMemory parameter) {
        Memory value = parameter.value();
        if (value.layout().same(layout)) {
            return value;
        }
        Memory copy = engine.kept(layout);
        preparations.add(engine.reorder(value, copy));
        return copy;
    }

    /// Like [#parameterIn], in float32 rounded to the precision of `type`.
    Memory roundedIn(Layout layout, ValueType type, ParameterMemory parameter) {
        if (type == ValueType.FLOAT32) {
            return parameterIn(layout, parameter);
        }
        Memory rounded =
                parameterIn(engine.plain(type, parameter.value().layout().sizes()), parameter);
        Memory copy = engine.kept(layout);
        preparations.add(engine.reorder(rounded, copy));
        return copy;
    }

    /// The output memory for a primitive: `target` if it has this layout, or a new one. Call [#deliver] after the
    /// primitive.
    Memory outputFor(Memory target, Layout layout) {
        return target.layout().same(layout) ? target : engine.memory(layout);
    }

    @SuppressWarnings("ReferenceEquality") // the same memory, not an equal one
    void deliver(Memory output, Memory target) {
        if (output != target) {
            operations.add(engine.reorder(output, target));
        }
    }
}
