package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.device.onednn.kernel.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.jspecify.annotations.Nullable;

/// The parameters of a layer with a weight and an optional bias, and the primitives over them.
///
/// @param weightSizes of the weight in this program's view
/// @param bias null for a layer without one
record OneDnnWeightAndBias(
        ParameterMemory weight,
        long[] weightSizes,
        @Nullable ParameterMemory bias) {
    static @Nullable dnnl_memory_desc layoutOf(@Nullable ParameterMemory bias) {
        return bias == null ? null : bias.value().layout().handle();
    }

    /// The layout of the bias's gradient; null if it is not trained.
    @Nullable
    dnnl_memory_desc biasGradientLayout() {
        return bias == null || bias.gradient() == null ? null : layoutOf(bias);
    }

    boolean isTrained() {
        return weight.gradient() != null || biasGradientLayout() != null;
    }

    /// The float32 layout of the weight: that of the forward primitive, or else that of its gradient.
    ///
    /// @param gradient describes the gradient's primitive
    static Layout weightLayout(
            ProgramBuilder program,
            PrimitiveDescription forward,
            Supplier<PrimitiveDescription> gradient,
            long[] weightSizes) {
        Layout taken = forward.layout(dnnl_query_weights_md, weightSizes);
        if (taken.type() == ValueType.FLOAT32) {
            return taken;
        }
        return program.training()
                ? gradient.get().layout(dnnl_query_diff_weights_md, weightSizes)
                : program.engine().plain(weightSizes);
    }

    void addForward(ProgramBuilder program, PrimitiveDescription forward, Memory source, Memory output) {
        Layout weightLayout = forward.layout(dnnl_query_weights_md, weightSizes);
        List<Argument> arguments = new ArrayList<>(List.of(
                new Argument(DNNL_ARG_SRC, source),
                new Argument(DNNL_ARG_WEIGHTS, program.parameterIn(weightLayout, weight)),
                new Argument(DNNL_ARG_DST, output)));
        if (bias != null) {
            arguments.add(new Argument(DNNL_ARG_BIAS, bias.value()));
        }
        program.add(forward, arguments);
    }

    void addGradients(ProgramBuilder program, PrimitiveDescription backward, Memory source, Memory outputGradient) {
        Memory gradient = weight.gradientTarget(program.engine());
        Memory computed = program.outputFor(gradient, backward.layout(dnnl_query_diff_weights_md, weightSizes));
        Layout sourceLayout = backward.layout(dnnl_query_src_md, source.layout().sizes());
        List<Argument> arguments = new ArrayList<>(List.of(
                new Argument(DNNL_ARG_SRC, program.in(sourceLayout, source)),
                outputGradientOf(program, backward, outputGradient),
                new Argument(DNNL_ARG_DIFF_WEIGHTS, computed)));
        if (bias != null && bias.gradient() != null) {
            arguments.add(new Argument(DNNL_ARG_DIFF_BIAS, bias.requireGradient()));
        }
        program.add(backward, arguments);
        program.deliver(computed, gradient);
    }

    void addInputGradient(
            ProgramBuilder program, PrimitiveDescription backward, Memory outputGradient, Memory inputGradient) {
        Layout weightLayout = backward.layout(dnnl_query_weights_md, weightSizes);
        program.add(
                backward,
                outputGradientOf(program, backward, outputGradient),
                new Argument(DNNL_ARG_WEIGHTS, program.parameterIn(weightLayout, weight)),
                new Argument(DNNL_ARG_DIFF_SRC, inputGradient));
    }

    private static Argument outputGradientOf(
            ProgramBuilder program, PrimitiveDescription backward, Memory outputGradient) {
        Layout layout =
                backward.layout(dnnl_query_diff_dst_md, outputGradient.layout().sizes());
        return new Argument(DNNL_ARG_DIFF_DST, program.in(layout, outputGradient));
    }
}
