package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.GroupNormalisation;
import io.trainyard.spec.Network;
import io.trainyard.spec.SampleNorm;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Group norm by our own kernel: oneDNN's backward pass is a plain loop and does not support blocked channels.
final class OneDnnGroupNorm implements OneDnnLayer {
    private final GroupNormalisation normalisation;
    private final @Nullable ParameterMemory scale; // null without trained scale and shift
    private final @Nullable ParameterMemory shift;
    private final Memory input;
    private final Memory output;

    /// Computed together with the parameters' gradients; null before that, and without parameters.
    private @Nullable Memory inputGradient;

    OneDnnGroupNorm(ProgramBuilder program, Network.Layer layer, SampleNorm.GroupNorm spec, Memory input) {
        scale = spec.affine() ? program.state().placeVector(layer.parameters().get(0)) : null;
        shift = spec.affine() ? program.state().placeVector(layer.parameters().get(1)) : null;
        ChannelValues values = ChannelValues.of(program, layer, input);
        this.input = values.memory();
        int samples = Math.toIntExact(input.layout().sizes()[0]);
        normalisation = new GroupNormalisation(values.one(), samples, spec.groups(), (float) spec.eps());
        output = program.training()
                ? program.engine().memory(this.input.layout())
                : program.over(this.input); // the original values are not needed any more
        MemorySegment x = this.input.data();
        MemorySegment y = output.data();
        MemorySegment scales = value(scale);
        MemorySegment shifts = value(shift);
        program.add(() -> normalisation.forward(x, scales, shifts, y));
    }

    private static @Nullable MemorySegment value(@Nullable ParameterMemory parameter) {
        return parameter == null ? null : parameter.value().data();
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        if (scale != null && shift != null) {
            inputGradient = backward(
                    program,
                    outputGradient,
                    scale.gradientTarget(program.engine()).data(),
                    shift.gradientTarget(program.engine()).data());
        }
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return inputGradient == null ? backward(program, outputGradient, null, null) : inputGradient;
    }

    private Memory backward(
            ProgramBuilder program,
            Memory outputGradient,
            @Nullable MemorySegment scaleGradient,
            @Nullable MemorySegment shiftGradient) {
        Memory given = program.in(input.layout(), outputGradient);
        Memory computed = program.over(given);
        MemorySegment gradient = given.data();
        MemorySegment x = input.data();
        MemorySegment to = computed.data();
        MemorySegment scales = value(scale);
        program.add(() -> {
            normalisation.backward(gradient, x, scales, to);
            normalisation.readParameterGradients(scaleGradient, shiftGradient);
        });
        return computed;
    }
}
