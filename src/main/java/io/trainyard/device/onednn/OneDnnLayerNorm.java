package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.Network;
import io.trainyard.spec.SampleNorm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class OneDnnLayerNorm implements OneDnnLayer {
    private final SetNormalisation normalisation;
    private final @Nullable ParameterMemory scale; // null without trained scale and shift
    private final @Nullable ParameterMemory shift;
    private final PrimitiveDescription forward;
    private final Memory input; // in oneDNN's view
    private final Memory mean;
    private final Memory variance;
    private final Memory output;

    /// Computed together with the parameters' gradients; null before that, and without parameters.
    private @Nullable Memory inputGradient;

    OneDnnLayerNorm(ProgramBuilder program, Network.Layer layer, SampleNorm spec, Memory input) {
        Engine engine = program.engine();
        normalisation = SetNormalisation.of(engine, layer, spec, input.layout().sizes());
        scale = spec.affine() ? program.state().placeVector(layer.parameters().get(0)) : null;
        shift = spec.affine() ? program.state().placeVector(layer.parameters().get(1)) : null;
        forward = normalisation.forward(program);
        this.input = normalisation.see(program, input);
        mean = engine.memory(normalisation.statistics());
        variance = engine.memory(normalisation.statistics());
        Memory result = engine.memory(normalisation.seen());
        List<Argument> arguments =
                new ArrayList<>(List.of(new Argument(DNNL_ARG_SRC, this.input), new Argument(DNNL_ARG_DST, result)));
        if (program.training()) {
            addStatistics(arguments);
        }
        if (scale != null && shift != null) {
            arguments.add(new Argument(DNNL_ARG_SCALE, scale.value()));
            arguments.add(new Argument(DNNL_ARG_SHIFT, shift.value()));
        }
        program.add(forward, arguments);
        output = normalisation.show(program, result);
    }

    /// The forward pass of training writes them for the backward pass.
    private void addStatistics(List<Argument> arguments) {
        arguments.add(new Argument(DNNL_ARG_MEAN, mean));
        arguments.add(new Argument(DNNL_ARG_VARIANCE, variance));
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        if (normalisation.affine()) {
            inputGradient = backward(program, outputGradient);
        }
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return inputGradient == null ? backward(program, outputGradient) : inputGradient;
    }

    private Memory backward(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.engine().memory(normalisation.seen());
        List<Argument> arguments = new ArrayList<>(List.of(
                new Argument(DNNL_ARG_SRC, input),
                new Argument(DNNL_ARG_DIFF_DST, normalisation.see(program, outputGradient)),
                new Argument(DNNL_ARG_DIFF_SRC, gradient)));
        addStatistics(arguments);
        if (scale != null && shift != null) {
            arguments.add(new Argument(DNNL_ARG_SCALE, scale.value()));
            arguments.add(new Argument(DNNL_ARG_DIFF_SCALE, scale.gradientTarget(program.engine())));
            arguments.add(new Argument(DNNL_ARG_DIFF_SHIFT, shift.gradientTarget(program.engine())));
        }
        program.add(normalisation.backward(program, forward), arguments);
        return normalisation.show(program, gradient);
    }
}
