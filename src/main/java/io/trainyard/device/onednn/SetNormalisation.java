package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.spec.Network;
import io.trainyard.spec.NormSets;
import io.trainyard.spec.SampleNorm;

/// oneDNN's view of a layer that normalizes sets of a sample's values, with one row for each set.
///
/// @param base layout that the values must have in memory
/// @param seen layout under which oneDNN views this memory
/// @param statistics layout of the mean or variance of each set
/// @param flags oneDNN's: whether there are scale and shift
record SetNormalisation(String layer, Layout base, Layout seen, Layout statistics, float eps, int flags) {
    static SetNormalisation of(Engine engine, Network.Layer layer, SampleNorm spec, long[] sizes) {
        NormSets sets = spec.sets(layer.in());
        long samples = sizes[0];
        long channels = layer.in().size(0);
        int flags = spec.affine() ? dnnl_use_scale | dnnl_use_shift : dnnl_normalization_flags_none;
        return new SetNormalisation(
                layer.name(),
                sets.sideBySide() ? engine.blocked((int) channels, sizes) : engine.plain(sizes),
                engine.plain(samples * sets.sets(), sets.size()),
                engine.plain(samples * sets.sets()),
                (float) spec.eps(),
                flags);
    }

    boolean affine() {
        return flags != dnnl_normalization_flags_none;
    }

    PrimitiveDescription forward(ProgramBuilder program) {
        return program.engine()
                .describe(
                        "run layer \"%s\" forward".formatted(layer),
                        (handle, cpu) -> dnnl_layer_normalization_forward_primitive_desc_create(
                                handle,
                                cpu,
                                program.propagation(),
                                seen.handle(),
                                seen.handle(),
                                statistics.handle(),
                                eps,
                                flags,
                                null));
    }

    /// The gradient of the input, and those of scale and shift, if there are any.
    PrimitiveDescription backward(ProgramBuilder program, PrimitiveDescription forward) {
        int kind = affine() ? dnnl_backward : dnnl_backward_data;
        return program.engine()
                .describe(
                        "run the gradients of layer \"%s\"".formatted(layer),
                        (handle, cpu) -> dnnl_layer_normalization_backward_primitive_desc_create(
                                handle,
                                cpu,
                                kind,
                                seen.handle(),
                                seen.handle(),
                                seen.handle(),
                                statistics.handle(),
                                eps,
                                flags,
                                forward.handle(),
                                null));
    }

    /// Converts values to oneDNN's view.
    Memory see(ProgramBuilder program, Memory values) {
        return program.engine().view(program.in(base, values), seen);
    }

    /// Converts oneDNN's result for other layers.
    Memory show(ProgramBuilder program, Memory values) {
        return program.engine().view(values, base);
    }
}
