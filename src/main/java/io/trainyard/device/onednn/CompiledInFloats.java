package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ValueType;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A layer that computes in float32, where the values between layers are bfloat16: what it is given is widened, what it
/// makes is rounded.
final class CompiledInFloats implements CompiledLayer {
    private final ValueType between;
    private final CompiledLayer layer;
    private final Memory output;

    /// What [#addParameterGradients] was given, widened; null before that.
    private @Nullable Memory outputGradient;

    /// @param layer makes it for an input of float32
    CompiledInFloats(ProgramBuilder program, Memory input, Function<Memory, CompiledLayer> layer) {
        between = input.layout().type();
        this.layer = layer.apply(program.as(ValueType.FLOAT32, input));
        output = program.as(between, this.layer.output());
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory gradient) {
        layer.addParameterGradients(program, widened(program, gradient));
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory gradient) {
        return program.as(between, layer.addInputGradient(program, widened(program, gradient)));
    }

    /// Once for both.
    private Memory widened(ProgramBuilder program, Memory gradient) {
        Memory floats = outputGradient == null ? program.as(ValueType.FLOAT32, gradient) : outputGradient;
        outputGradient = floats;
        return floats;
    }
}
